package dev.remat.compiler;

import dev.remat.compiler.pipeline.SetTimeline;
import dev.remat.compiler.pipeline.SetTimes;
import dev.remat.compiler.pipeline.StageProgram;
import dev.remat.compiler.pipeline.StagePrograms;
import dev.remat.compiler.pipeline.Staging;
import dev.remat.ir.execution.PlanSet;
import dev.remat.ir.target.KernelWork;
import dev.remat.ir.target.Link;
import java.util.List;

/**
 * A step in stages, planned.
 *
 * @param prepared what each was planned from
 * @param stages what a compilation of each made, with its share of the step's kernels
 * @param plans of all stages, which are proven to go together
 */
public record StageSet(Staging staging, List<PreparedStage> prepared, List<Compilation> stages, PlanSet plans) {
    public StageSet {
        prepared = List.copyOf(prepared);
        stages = List.copyOf(stages);
    }

    /** What each does about the others, in times that planning was charged. */
    public List<StageProgram> programs() {
        return StagePrograms.of(
                plans.stages(),
                (stage, step) -> stages.get(stage)
                        .costs()
                        .cost(KernelWork.of(
                                plans.stages().get(stage).steps().get(step).body())));
    }

    /**
     * When everything happens, by what planning was charged.
     *
     * @param link between stages
     */
    public SetTimes times(Link link) {
        return SetTimeline.of(programs(), link);
    }
}
