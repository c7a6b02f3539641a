package dev.remat.codegen.cuda;

import dev.remat.codegen.cuda.emit.Emitter;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.RandomSource;
import dev.remat.codegen.cuda.family.LowerKernelSteps;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlaceSize;
import dev.remat.ir.graph.InputKind;

/** Turns a plan into kernels: step by step, each by the family that its operation belongs to. */
public final class CudaCodegen {
    private CudaCodegen() {}

    /** @throws IllegalArgumentException if the plan moves tensors to a place that a GPU does not copy to */
    public static KernelProgram generate(ExecutionPlan plan, Architecture architecture, CodegenOptions options) {
        for (PlaceSize place : plan.transfers().places()) {
            if (!place.name().equals(PlaceSize.HOST)) {
                throw new IllegalArgumentException(
                        "a GPU moves tensors to the host's memory alone; the plan has a place '" + place.name() + "'");
            }
        }
        RandomSource random = new RandomSource(
                offset(plan, InputKind.SEED), offset(plan, InputKind.STEP), offset(plan, InputKind.MICRO_BATCH));
        Emitter emitter = new Emitter(architecture, options);
        LowerKernelSteps.run(plan, random, emitter);
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
