package dev.remat.runtime.train;

import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.KernelStepBuilder;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.SequentialArena;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.Literal;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes a fused kernel apart: a plan whose inputs are the buffers that the kernel reads, and whose steps are its
 * operations one by one, so that every intermediate result can be seen. Rounds as the kernel does, because a result is
 * rounded to its type whether it is stored or not.
 */
public final class SplitStep {
    private static final long ALIGNMENT = 256;

    private final KernelStep kernel;
    private final List<Instruction> body;
    private final SequentialArena arena = new SequentialArena(ALIGNMENT);
    private final List<ArenaTensor> inputs = new ArrayList<>();
    private final List<KernelStep> steps = new ArrayList<>();
    /** First byte of each result of each operation. */
    private final List<List<Long>> offsets = new ArrayList<>();

    private SplitStep(KernelStep kernel) {
        this.kernel = kernel;
        this.body = kernel.body().instructions();
    }

    /**
     * Input {@code i} of the result holds the buffer of the kernel's read {@code i}, and {@code part.i.r} is what the
     * body's instruction {@code i} makes as its result {@code r}.
     */
    public static ExecutionPlan run(ExecutionPlan plan, KernelStep kernel) {
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
                    arena.place(read.bytes()),
                    kernel.location()));
        }
        boolean draws = body.stream()
                .anyMatch(instruction -> instruction.op().drawnOrdinal().isPresent());
        if (draws) {
            // Where kernels read numbers of the step from memory, this is where the executor puts them.
            for (InputKind kind : List.of(InputKind.STEP, InputKind.SEED, InputKind.MICRO_BATCH)) {
                inputs.add(ArenaTensor.ofStep(inputs.size(), kind, arena.place(Long.BYTES)));
            }
        }
        ByteRange workspace = arena.range(kernel.workspace().bytes());
        for (Instruction instruction : body) {
            offsets.add(instruction.types().stream()
                    .map(type -> arena.place(type.bytes()))
                    .toList());
        }
        for (int i = 0; i < body.size(); i++) {
            if (!(body.get(i).op() instanceof Literal)) {
                steps.add(step(i, workspace));
            }
        }
        return new ExecutionPlan(
                plan.model(), plan.modelHash(), plan.target(), plan.seed(), arena.bytes(), inputs, steps, List.of());
    }

    private KernelStep step(int index, ByteRange workspace) {
        Instruction instruction = body.get(index);
        KernelStepBuilder step =
                new KernelStepBuilder("part." + index, Role.FORWARD, instruction.location()).workspace(workspace);
        List<Operand> operands = new ArrayList<>();
        for (Operand operand : instruction.operands()) {
            operands.add(
                    switch (operand) {
                        case Operand.FromSeed seed -> seed;
                        case Operand.FromMemory(int read) -> step.read(input(read));
                        case Operand.FromInstruction from ->
                            body.get(from.instruction()).op() instanceof Literal
                                    ? step.add(body.get(from.instruction()))
                                    : step.read(part(from));
                    });
        }
        Operand.FromInstruction made =
                step.add(new Instruction(instruction.op(), operands, instruction.types(), instruction.location()));
        for (int r = 0; r < instruction.types().size(); r++) {
            if (instruction.types().get(r).dtype() != DType.SEED) {
                String name = "part." + index + "." + r;
                Operand.FromInstruction result = new Operand.FromInstruction(made.instruction(), r);
                step.write(value(index, r), name, offsets.get(index).get(r), result);
            }
        }
        return step.build();
    }

    private MemoryRead input(int read) {
        MemoryRead own = kernel.read(read);
        return new MemoryRead(read, inputs.get(read).offset(), own.bytes(), own.dtype(), own.view());
    }

    private MemoryRead part(Operand.FromInstruction from) {
        long offset = offsets.get(from.instruction()).get(from.result());
        return MemoryRead.dense(
                value(from.instruction(), from.result()), offset, kernel.body().type(from));
    }

    private int value(int instruction, int result) {
        int id = inputs.size();
        for (int i = 0; i < instruction; i++) {
            id += body.get(i).types().size();
        }
        return id + result;
    }
}
