package dev.remat.codegen.cuda.predict;

import dev.remat.ir.artifact.Launch;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.Section;
import java.util.ArrayList;
import java.util.List;

/**
 * Launches that belong together, and the steps of the plan that they carry out: one, or several that share launches.
 *
 * @param first number of the first launch
 * @param section that they are of, which is run in rounds where a batch is cut
 */
record StepRun(int first, List<Launch> launches, List<KernelStep> steps, Section section) {
    static List<StepRun> of(List<Launch> launches, ExecutionPlan plan) {
        List<KernelStep> steps = plan.steps();
        List<StepRun> runs = new ArrayList<>();
        for (int first = 0, next; first < launches.size(); first = next) {
            int step = launches.get(first).step();
            next = first + 1;
            while (next < launches.size() && launches.get(next).step() == step) {
                next++;
            }
            int end = next < launches.size() ? launches.get(next).step() : steps.size();
            runs.add(new StepRun(
                    first,
                    launches.subList(first, next),
                    steps.subList(step, Math.max(step + 1, end)),
                    plan.section(step)));
        }
        return runs;
    }

    /** How often they run in a training step. */
    int times() {
        return section.times();
    }

    double flops() {
        return steps.stream().mapToDouble(step -> step.body().flops()).sum();
    }

    /** Tensors that the steps read and write, each once. */
    long tensorBytes() {
        return steps.stream()
                .mapToLong(step ->
                        step.reads().stream().mapToLong(StepTraffic::bytes).sum()
                                + step.writes().stream()
                                        .mapToLong(write -> write.type().bytes())
                                        .sum())
                .sum();
    }
}
