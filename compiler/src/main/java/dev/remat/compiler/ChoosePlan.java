package dev.remat.compiler;

import dev.remat.compiler.plan.Floor;
import dev.remat.compiler.plan.KeepAll;
import dev.remat.compiler.plan.LiveTensors;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.Strategies;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.stage.StageRunner;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Asks the strategies for sequences and takes the cheapest that fits, judged by its real arena. */
final class ChoosePlan {
    private static final int TENSORS_NAMED = 8;

    /** The plan taken, and what it is measured against. */
    record Choice(CandidatePlan plan, CandidatePlan keepAll, long floorBytes, long smallestFoundBytes) {}

    private final TargetModel target;
    private final StageRunner stages;

    ChoosePlan(TargetModel target, StageRunner stages) {
        this.target = target;
        this.stages = stages;
    }

    Choice run(PlanningProblem planning, CompileOptions options) {
        CandidatePlan keepAll = candidate(planning, new KeepAll());
        List<CandidatePlan> candidates = new ArrayList<>();
        if (options.strategy().isPresent()) {
            Planner planner = Strategies.named(options.strategy().get());
            candidates.add(planner instanceof KeepAll ? keepAll : candidate(planning, planner));
        } else {
            candidates.add(keepAll);
            boolean fits = options.budgetBytes().isEmpty() || keepAll.arenaBytes() <= options.budgetBytes().getAsLong();
            if (!fits) {
                Strategies.all().stream()
                        .filter(planner -> !(planner instanceof KeepAll))
                        .forEach(planner -> candidates.add(candidate(planning, planner)));
            }
        }
        CandidatePlan smallest =
                candidates.stream().min(Comparator.comparingLong(CandidatePlan::arenaBytes)).orElseThrow();
        long floor = Floor.of(planning.problem()).bytes();
        long budget = options.budgetBytes().orElse(Long.MAX_VALUE);
        CandidatePlan chosen = candidates.stream()
                .filter(candidate -> candidate.arenaBytes() <= budget)
                .min(Comparator.comparingLong(candidate -> candidate.evaluation().cost()))
                .orElseThrow(() -> infeasible(planning, budget, floor, smallest));
        return new Choice(chosen, keepAll, floor, Math.min(smallest.arenaBytes(), keepAll.arenaBytes()));
    }

    private CandidatePlan candidate(PlanningProblem planning, Planner planner) {
        return CandidatePlan.of(planning, planner, target, stages);
    }

    private static BudgetException infeasible(
            PlanningProblem planning, long budget, long floor, CandidatePlan smallest) {
        List<String> tensors = LiveTensors.at(planning.problem(), smallest.sequence(), smallest.evaluation().peakStep())
                .stream()
                .limit(TENSORS_NAMED)
                .map(tensor -> tensor.name() + " (" + tensor.bytes() + " bytes)")
                .toList();
        return new BudgetException(budget, floor, smallest.arenaBytes(), tensors);
    }
}
