package dev.remat.codegen.cuda.family.norm;

import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.ir.Alignment;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.KernelStepBuilder;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Op;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A part of a step's operation, put together from instructions that have kernels of their own. */
final class ComposedStep {
    private static final long ALIGNMENT = 256;

    private final KernelStepBinding whole;
    private final KernelStepBuilder part;
    /** What each value is: a read, or the first result of an instruction. */
    private final List<Operand> values = new ArrayList<>();
    /** What has been taken over from the whole step, by what it is there. */
    private final Map<Operand, Operand> taken = new LinkedHashMap<>();

    ComposedStep(KernelStepBinding whole) {
        KernelStep step = whole.step();
        this.whole = whole;
        this.part = new KernelStepBuilder(step.name(), step.role(), step.location()).recomputed(step.recomputed());
    }

    /** Bytes of scratch that end where a tensor may begin. */
    static long padded(long bytes) {
        return Alignment.up(bytes, ALIGNMENT);
    }

    /** A dense tensor in the step's workspace, {@code offset} bytes from its beginning. */
    MemoryRead scratch(TensorType type, long offset) {
        return MemoryRead.dense(0, whole.step().workspace().offset() + offset, type);
    }

    int read(MemoryRead read) {
        return value(part.read(read));
    }

    /** Operand {@code index} of the step's operation, with the instructions that lead to it. */
    int operand(int index) {
        return operand(whole.instruction(), index);
    }

    /** Operand {@code index} of one of the step's instructions, with those that lead to it. */
    int operand(Instruction instruction, int index) {
        return value(take(instruction.operands().get(index)));
    }

    /** Lets what instruction {@code number} of the step gives be {@code value}, which is the same. */
    void replace(int number, int value) {
        taken.put(new Operand.FromInstruction(number, 0), values.get(value));
    }

    private Operand take(Operand operand) {
        Operand known = taken.get(operand);
        if (known == null) {
            known = switch (operand) {
                case Operand.FromMemory(int index) -> part.read(whole.step().read(index));
                case Operand.FromInstruction(int index, int _) ->
                    take(whole.step().body().instructions().get(index));
                case Operand.FromSeed seed -> seed;
            };
            taken.put(operand, known);
        }
        return known;
    }

    private Operand take(Instruction instruction) {
        List<Operand> operands = instruction.operands().stream().map(this::take).toList();
        return part.add(new Instruction(instruction.op(), operands, instruction.types(), instruction.location()));
    }

    int binary(Binary.Kind kind, TensorType type, int a, int b) {
        return apply(new Binary(kind), type, a, b);
    }

    int apply(Op op, TensorType type, int... operands) {
        List<Operand> taken = Arrays.stream(operands).mapToObj(values::get).toList();
        return value(part.add(
                new Instruction(op, taken, List.of(type), whole.instruction().location())));
    }

    private int value(Operand operand) {
        values.add(operand);
        return values.size() - 1;
    }

    /** The step that leaves {@code value}, the last instruction's result, at {@code address}, without a workspace. */
    KernelStepBinding write(int value, long address) {
        return write(value, address, ByteRange.EMPTY);
    }

    KernelStepBinding write(int value, long address, ByteRange workspace) {
        Operand.FromInstruction made = (Operand.FromInstruction) values.get(value);
        KernelStep step = part.write(0, whole.step().name(), address, made)
                .workspace(workspace)
                .build();
        return new KernelStepBinding(step, whole.number(), made.instruction(), whole.random(), whole.emitter());
    }
}
