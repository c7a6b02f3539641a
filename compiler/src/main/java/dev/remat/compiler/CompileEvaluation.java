package dev.remat.compiler;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.execution.BuildExecutionPlan;
import dev.remat.compiler.memory.ArenaChecker;
import dev.remat.compiler.memory.ExchangeChecker;
import dev.remat.compiler.memory.LaneChecker;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.transfer.Offload;
import dev.remat.compiler.remat.GiveHomes;
import dev.remat.compiler.search.BudgetSearch;
import dev.remat.compiler.section.PreparedSection.Way;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.target.TargetModel;
import java.util.List;

/**
 * Plans an evaluation that takes turns with a training step in one arena. Parameters and statistics lie where the step
 * has them, there or below, and whatever the step keeps between its runs stays as it is.
 */
public final class CompileEvaluation {
    private final TargetModel target;
    private final ExecutionPlan step;
    private final PreparedStep prepared;

    private CompileEvaluation(TargetModel target, ExecutionPlan step, PreparedStep prepared) {
        this.target = target;
        this.step = step;
        this.prepared = prepared;
    }

    /**
     * @param compiler for the target that the step is for
     * @param evaluation the model of the step, elaborated for {@link Purpose#EVALUATE}
     * @return a plan whose arena is that of the step, or larger if it needs more
     */
    public static ExecutionPlan run(Compiler compiler, Compilation trained, ElaboratedModel evaluation) {
        PreparedStep prepared = compiler.prepareBeside(evaluation, trained.step());
        CompileEvaluation pass = new CompileEvaluation(trained.target(), trained.plan(), prepared);
        BudgetSearch<RealizedPlan> search = compiler.search(prepared);
        boolean below = !GiveHomes.of(trained.planning()).isEmpty();
        return below ? pass.bringing(search) : pass.within(search.keepAll());
    }

    /** What lives below is brought as early as there is room beside what the step keeps, which shows by trying. */
    private ExecutionPlan bringing(BudgetSearch<RealizedPlan> search) {
        Planner bringing = Offload.state();
        ExecutionPlan least = within(search.smallest(bringing));
        for (int eighths = 8; eighths > 4 && least.arenaBytes() <= step.arenaBytes(); eighths--) {
            long room = step.arenaBytes() / 8 * eighths;
            ExecutionPlan early = within(search.fit(bringing, room).plan());
            if (early.arenaBytes() <= step.arenaBytes()) {
                return early;
            }
        }
        return least;
    }

    private ExecutionPlan within(RealizedPlan planned) {
        List<ArenaTensor> kept = step.inputs().stream()
                .filter(input -> input.kind().isPersistent())
                .toList();
        RealizedPlan placed = PlaceStep.beside(prepared, target, kept, step.arenaBytes())
                .run(planned.proposal(), new Way(planned.sequence(), planned.rematerialized(), planned.kernels()));
        ExecutionPlan alone = BuildExecutionPlan.run(
                placed.whole(),
                prepared.model().hash(),
                target,
                step.seed(),
                prepared.planning().problem().tiers());
        ExecutionPlan plan = BuildExecutionPlan.beside(alone, step).withArena(step.arenaBytes());
        ArenaChecker.check(plan, target.alignment());
        LaneChecker.check(plan);
        ExchangeChecker.check(plan);
        return plan;
    }
}
