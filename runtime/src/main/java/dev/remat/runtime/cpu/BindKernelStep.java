package dev.remat.runtime.cpu;

import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.runtime.cpu.elementwise.FusedProgram;
import dev.remat.runtime.cpu.kernel.BoundKernelStep;
import dev.remat.runtime.cpu.kernel.OpTypes;
import java.util.List;
import java.util.Map;

/** Chooses a kernel for a step and resolves its addresses. */
final class BindKernelStep {
    /**
     * A step ready to run.
     *
     * @param end one past the highest byte of the arena that its kernels receive
     */
    record Bound(BoundKernelStep kernel, long end) {}

    private BindKernelStep() {}

    /**
     * @param target whose kernels the plan was made for
     * @throws IllegalArgumentException if the step stores results as kernels of GPUs alone do
     */
    static Bound run(KernelStep step, String target, CpuKernels kernels) {
        requireResultsOfCpu(step, target);
        BoundKernelStep kernel = step.body().form() == KernelBody.Form.ELEMENTWISE
                ? FusedProgram.bind(step, Map.of())
                : anchored(step, kernels);
        return new Bound(kernel, end(step));
    }

    /**
     * All kernels store row-major; those that are not elementwise the results of their operation or what follows it,
     * each once. What else a plan wants stored would stay unwritten.
     */
    private static void requireResultsOfCpu(KernelStep step, String target) {
        if (step.body().form() != KernelBody.Form.ELEMENTWISE) {
            List<Integer> makers = step.body().writes().stream()
                    .map(KernelBody.Write::instruction)
                    .distinct()
                    .toList();
            require(makers.size() < 2, step, target, "what " + makers.size() + " operations make");
            boolean before =
                    makers.stream().anyMatch(maker -> maker < step.body().anchor());
            require(!before, step, target, "what its operation reads");
            long results = step.body().writes().stream()
                    .map(KernelBody.Write::result)
                    .distinct()
                    .count();
            require(results == step.body().writes().size(), step, target, "a result twice");
        }
        for (MemoryWrite write : step.writes()) {
            require(write.isDense(), step, target, write.name() + " through strides");
        }
    }

    private static void require(boolean holds, KernelStep step, String target, String stored) {
        if (!holds) {
            throw new IllegalArgumentException("step " + step.name() + " of a plan for " + target + " stores " + stored
                    + ", as no kernel of the CPU does");
        }
    }

    private static BoundKernelStep anchored(KernelStep step, CpuKernels kernels) {
        KernelBody body = step.body();
        Instruction instruction = body.instructions().get(body.anchor());
        BoundKernelStep anchor = kernels.of(instruction.op())
                .kernel()
                .apply(new OpTypes(body.operandTypes(instruction), instruction.types()))
                .bind(step);
        if (body.writes().stream().allMatch(write -> write.instruction() <= body.anchor())) {
            return anchor;
        }
        BoundKernelStep rest = FusedProgram.bind(
                step,
                Map.of(
                        new Operand.FromInstruction(body.anchor(), 0),
                        instruction.types().getFirst().dtype()));
        return frame -> {
            anchor.run(frame);
            rest.run(frame);
        };
    }

    private static long end(KernelStep step) {
        long end = step.workspace().end();
        for (MemoryRead read : step.reads()) {
            end = Math.max(end, read.offset() + read.bytes());
        }
        for (MemoryWrite write : step.writes()) {
            end = Math.max(end, write.offset() + write.bytes());
        }
        return end;
    }
}
