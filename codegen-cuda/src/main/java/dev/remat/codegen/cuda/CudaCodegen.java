package dev.remat.codegen.cuda;

import dev.remat.codegen.cuda.emit.Emitter;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.RandomSource;
import dev.remat.codegen.cuda.family.LowerKernelStep;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.InputKind;

/** Turns a plan into kernels: step by step, each by the family that its operation belongs to. */
public final class CudaCodegen {
    private CudaCodegen() {}

    /** @throws IllegalArgumentException if the plan moves tensors out of its arena */
    public static KernelProgram generate(ExecutionPlan plan, Architecture architecture, CodegenOptions options) {
        if (!plan.transfers().isEmpty()) {
            throw new IllegalArgumentException("kernels of GPUs find all tensors in the arena; the plan moves some");
        }
        RandomSource random = new RandomSource(
                offset(plan, InputKind.SEED), offset(plan, InputKind.STEP), offset(plan, InputKind.MICRO_BATCH));
        Emitter emitter = new Emitter(architecture, options);
        LowerKernelStep.run(plan, random, emitter);
        return emitter.program();
    }

    private static long offset(ExecutionPlan plan, InputKind kind) {
        return plan.inputs().stream()
                .filter(input -> input.kind() == kind)
                .findFirst()
                .map(ArenaTensor::offset)
                .orElse(ParameterType.NULL);
    }
}
