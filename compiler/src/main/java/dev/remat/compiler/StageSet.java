package dev.remat.compiler;

import dev.remat.compiler.pipeline.SetTimeline;
import dev.remat.compiler.pipeline.SetTimes;
import dev.remat.compiler.pipeline.StageProgram;
import dev.remat.compiler.pipeline.StagePrograms;
import dev.remat.compiler.pipeline.Staging;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.PlanSet;
import dev.remat.ir.op.Exchange;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.KernelWork;
import dev.remat.ir.target.Link;
import java.util.List;
import java.util.Optional;

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

    /** What ranks share of the state. */
    public Sharding sharding() {
        return prepared.getFirst().step().options().shares().level();
    }

    /**
     * What each stage does, and for how long by what planning was charged.
     *
     * @param link between ranks; without one exchanges take what kernels cost that copy as much in memory
     */
    public List<StageProgram> programs(Optional<Link> link) {
        return StagePrograms.of(plans.stages(), (stage, step) -> nanos(stage, step, link));
    }

    /**
     * When everything happens.
     *
     * @param link as {@link #programs} has it, and between stages; without one messages take no time
     */
    public SetTimes times(Optional<Link> link) {
        return SetTimeline.of(programs(link), link.orElse(new Link(Long.MAX_VALUE, 0)));
    }

    private long nanos(int stage, int step, Optional<Link> link) {
        ExecutionPlan plan = plans.stages().get(stage);
        Instruction first = plan.steps().get(step).body().instructions().getFirst();
        CostModel costs = stages.get(stage).costs();
        return first.op() instanceof Exchange exchange && link.isPresent() && costs.isTime()
                ? Math.round(link.get()
                        .nanos(plan.ranks(), exchange.sentBytes(first.types().getFirst())))
                : costs.cost(KernelWork.of(plan.steps().get(step).body()));
    }
}
