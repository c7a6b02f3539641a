package dev.remat.runtime.train;

import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.InputKind;
import dev.remat.ir.Role;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.Step;
import dev.remat.ir.op.Constant;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes a fused kernel apart: a plan whose inputs are the buffers that the kernel reads, and whose steps are its
 * operations one by one, so that every intermediate result can be seen. Rounds as the kernel does, because a result is
 * rounded to its type whether it is stored or not.
 */
final class SplitStep {
    private static final long ALIGNMENT = 256;

    private final Step kernel;
    private final List<ArenaTensor> inputs = new ArrayList<>();
    private final List<Step> steps = new ArrayList<>();
    /** First byte of each result of each operation. */
    private final List<List<Long>> offsets = new ArrayList<>();

    private long end;

    private SplitStep(Step kernel) {
        this.kernel = kernel;
    }

    /** Input {@code i} of the result holds the buffer of the kernel's read {@code i}. */
    static ExecutionPlan run(ExecutionPlan plan, Step kernel) {
        return new SplitStep(kernel).split(plan);
    }

    private ExecutionPlan split(ExecutionPlan plan) {
        for (MemoryRead read : kernel.reads()) {
            TensorType type =
                    TensorType.of(read.dtype(), read.bytes() / read.dtype().bytes());
            inputs.add(new ArenaTensor(
                    inputs.size(),
                    "read." + inputs.size(),
                    type,
                    InputKind.DATA,
                    Initializer.ZEROS,
                    place(read.bytes()),
                    kernel.location()));
        }
        ByteRange workspace = new ByteRange(
                place(kernel.workspace().bytes()), kernel.workspace().bytes());
        for (Instruction instruction : kernel.body()) {
            offsets.add(instruction.types().stream()
                    .map(type -> place(type.bytes()))
                    .toList());
        }
        for (int i = 0; i < kernel.body().size(); i++) {
            if (!(kernel.body().get(i).op() instanceof Constant)) {
                steps.add(step(i, workspace));
            }
        }
        return new ExecutionPlan(
                plan.model(), plan.modelHash(), plan.target(), plan.seed(), end, inputs, steps, List.of());
    }

    private long place(long bytes) {
        long offset = end;
        end = end + bytes + ALIGNMENT - 1 & -ALIGNMENT;
        return offset;
    }

    private Step step(int index, ByteRange workspace) {
        Instruction instruction = kernel.body().get(index);
        List<Instruction> body = new ArrayList<>();
        List<MemoryRead> reads = new ArrayList<>();
        List<Operand> operands = new ArrayList<>();
        for (Operand operand : instruction.operands()) {
            switch (operand) {
                case Operand.FromSeed seed -> operands.add(seed);
                case Operand.FromMemory memory -> {
                    operands.add(new Operand.FromMemory(reads.size()));
                    MemoryRead read = kernel.reads().get(memory.index());
                    reads.add(new MemoryRead(
                            memory.index(),
                            inputs.get(memory.index()).offset(),
                            read.bytes(),
                            read.dtype(),
                            read.view()));
                }
                case Operand.FromInstruction from -> {
                    Instruction source = kernel.body().get(from.instruction());
                    if (source.op() instanceof Constant) {
                        operands.add(new Operand.FromInstruction(body.size(), 0));
                        body.add(source);
                    } else {
                        operands.add(new Operand.FromMemory(reads.size()));
                        reads.add(read(from, source.types().get(from.result())));
                    }
                }
            }
        }
        List<MemoryWrite> writes = new ArrayList<>();
        for (int r = 0; r < instruction.types().size(); r++) {
            TensorType type = instruction.types().get(r);
            if (type.dtype() != DType.SEED) {
                writes.add(new MemoryWrite(
                        value(index, r),
                        "part." + index + "." + r,
                        offsets.get(index).get(r),
                        type,
                        body.size(),
                        r));
            }
        }
        body.add(new Instruction(instruction.op(), operands, instruction.types(), instruction.location()));
        return new Step(
                "part." + index,
                Role.FORWARD,
                instruction.location(),
                false,
                body,
                reads,
                writes,
                workspace,
                List.of());
    }

    private MemoryRead read(Operand.FromInstruction from, TensorType type) {
        long offset = offsets.get(from.instruction()).get(from.result());
        return new MemoryRead(
                value(from.instruction(), from.result()),
                offset,
                type.bytes(),
                type.dtype(),
                StridedView.dense(type.shape()));
    }

    private int value(int instruction, int result) {
        int id = inputs.size();
        for (int i = 0; i < instruction; i++) {
            id += kernel.body().get(i).types().size();
        }
        return id + result;
    }
}
