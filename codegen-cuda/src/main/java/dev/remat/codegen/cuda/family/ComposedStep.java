package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.StepBinding;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.Step;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Op;
import java.util.ArrayList;
import java.util.List;

/** A part of a step's operation, put together from instructions that have kernels of their own. */
final class ComposedStep {
    private static final long ALIGNMENT = 256;

    private final StepBinding whole;
    private final List<MemoryRead> reads = new ArrayList<>();
    private final List<Instruction> body = new ArrayList<>();
    /** What each value is: a read, or the first result of an instruction. */
    private final List<Operand> values = new ArrayList<>();

    ComposedStep(StepBinding whole) {
        this.whole = whole;
    }

    /** Bytes of scratch that end where a tensor may begin. */
    static long padded(long bytes) {
        return -Math.floorDiv(-bytes, ALIGNMENT) * ALIGNMENT;
    }

    /** A dense tensor in the step's workspace, {@code offset} bytes from its beginning. */
    MemoryRead scratch(TensorType type, long offset) {
        return new MemoryRead(
                0,
                whole.step().workspace().offset() + offset,
                type.bytes(),
                type.dtype(),
                StridedView.dense(type.shape()));
    }

    int read(MemoryRead read) {
        reads.add(read);
        values.add(new Operand.FromMemory(reads.size() - 1));
        return values.size() - 1;
    }

    int binary(Binary.Kind kind, TensorType type, int a, int b) {
        return apply(new Binary(kind), type, a, b);
    }

    int apply(Op op, TensorType type, int... operands) {
        List<Operand> taken = new ArrayList<>();
        for (int operand : operands) {
            taken.add(values.get(operand));
        }
        body.add(new Instruction(op, taken, List.of(type), whole.instruction().location()));
        values.add(new Operand.FromInstruction(body.size() - 1, 0));
        return values.size() - 1;
    }

    /** The step that leaves {@code value}, the last instruction's result, at {@code address}, without a workspace. */
    StepBinding write(int value, long address) {
        return write(value, address, new ByteRange(0, 0));
    }

    StepBinding write(int value, long address, ByteRange workspace) {
        Step step = whole.step();
        Operand.FromInstruction made = (Operand.FromInstruction) values.get(value);
        TensorType type = body.get(made.instruction()).types().getFirst();
        MemoryWrite write = new MemoryWrite(0, step.name(), address, type, made.instruction(), 0);
        Step part = new Step(
                step.name(),
                step.role(),
                step.location(),
                step.recomputed(),
                body,
                reads,
                List.of(write),
                workspace,
                List.of());
        return new StepBinding(part, whole.number(), made.instruction(), whole.random(), whole.emitter());
    }
}
