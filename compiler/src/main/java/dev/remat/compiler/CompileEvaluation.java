package dev.remat.compiler;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.execution.BuildExecutionPlan;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.GatherKernels;
import dev.remat.compiler.memory.GatherKernels.Gathered;
import dev.remat.compiler.memory.PlanArena;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.transfer.Offload;
import dev.remat.compiler.remat.GiveHomes;
import dev.remat.compiler.search.BudgetSearch;
import dev.remat.compiler.section.PlacedSection;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.plan.Tier;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;

/**
 * Plans an evaluation that takes turns with a training step in one arena. Parameters and statistics lie where the step
 * has them, there or below, and whatever the step keeps between its runs stays as it is.
 */
public final class CompileEvaluation {
    private final Compiler compiler;
    private final TargetModel target;
    private final ExecutionPlan step;
    private final PreparedStep prepared;

    private CompileEvaluation(Compiler compiler, TargetModel target, ExecutionPlan step, PreparedStep prepared) {
        this.compiler = compiler;
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
        TargetModel target = trained.target();
        SortedMap<String, Integer> homes = GiveHomes.of(trained.planning());
        List<Tier> tiers = trained.planning().problem().tiers();
        PreparedStep prepared = compiler.prepare(
                evaluation,
                CompileOptions.defaults(),
                (body, _) -> GiveHomes.beside(body, homes, tiers, target.transferAlignment()));
        CompileEvaluation pass = new CompileEvaluation(compiler, target, trained.plan(), prepared);
        BudgetSearch<RealizedPlan> search = compiler.search(prepared);
        return homes.isEmpty() ? pass.within(search.keepAll()) : pass.bringing(search);
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
        KernelGraph kernels = planned.kernels();
        Gathered gathered = GatherKernels.run(kernels, PlanArena.within(kernels, target, kept), target);
        List<ArenaTensor> shared = new ArrayList<>(kept);
        shared.addAll(BuildExecutionPlan.inputs(gathered.kernels(), gathered.memory()));
        List<PlacedSection> before = compiler.within(prepared.before(), shared, step.arenaBytes(), prepared.stages());
        PlacedSection body = new PlacedSection(
                planned.body().planning(),
                planned.body().sequence(),
                planned.rematerialized(),
                gathered.kernels(),
                gathered.memory().withArena(Compiler.largest(before.stream())),
                prepared.rounds());
        ExecutionPlan alone = compiler.execution(
                prepared.model().withSeed(step.seed()), new RealizedPlan(planned.proposal(), before, body, List.of()));
        ExecutionPlan plan = BuildExecutionPlan.beside(alone, step).withArena(step.arenaBytes());
        compiler.prove(plan);
        return plan;
    }
}
