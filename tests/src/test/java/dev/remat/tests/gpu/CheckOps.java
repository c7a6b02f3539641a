package dev.remat.tests.gpu;

import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.runtime.cuda.CudaExecutable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Holds single operations, many in one plan, against their recording: each result, family by family. */
final class CheckOps {
    private static final int FLOPS_OF_A_TERM = 2;

    private CheckOps() {}

    /** @return what was not as it has to be, a line each */
    static List<String> run(Artifact artifact, ArtifactCode code, RecordingFile recording, FamilyVerdicts verdicts) {
        ExecutionPlan plan = artifact.plan();
        List<Set<String>> families = code.familiesOfSteps();
        List<String> problems = new ArrayList<>();
        try (CudaExecutable gpu = code.load()) {
            for (ArenaTensor input : plan.inputs()) {
                if (!input.kind().isOfStep()) {
                    gpu.write(input.offset(), recording.get("initial/" + input.name()));
                }
            }
            gpu.run(1);
            for (PlanOutput output : plan.outputs()) {
                if (output.name().equals(ExecutionPlan.LOSS)) {
                    continue;
                }
                Set<String> those = families.get(output.readyAfter());
                Nearness nearness = Nearness.of(
                        output.type(),
                        recording.get("final/" + output.name()),
                        gpu.read(output.offset(), output.type().bytes()));
                KernelBody body = plan.steps().get(output.readyAfter()).body();
                double terms = (double) body.flops()
                        / FLOPS_OF_A_TERM
                        / Math.max(output.type().elements(), 1);
                double bound = Nearness.bound(output.type().dtype(), Math.max(terms, 1));
                verdicts.add(those, nearness, bound);
                boolean bounded = those.stream().anyMatch(FamilyVerdicts::isOnTensorCores);
                if (bounded ? nearness.relative() > bound : !nearness.isEqual()) {
                    problems.add("%s of %s: %d of %d elements differ, by %.2e of the norm"
                            .formatted(
                                    output.name(),
                                    String.join(", ", those),
                                    nearness.different(),
                                    nearness.elements(),
                                    nearness.relative()));
                }
            }
        }
        return problems;
    }
}
