package dev.remat.compiler;

import dev.remat.compiler.plan.Floor;
import dev.remat.compiler.plan.KeepAll;
import dev.remat.compiler.plan.LiveTensors;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.Strategies;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.stage.StageRunner;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Asks the strategies for sequences within the budget and takes the cheapest whose real arena fits.
 *
 * <p>Alignment, workspaces and gaps between buffers may push an arena above what the strategies reckoned with. Then they
 * are asked again for as much less, a bounded number of times.
 */
final class ChoosePlan {
    private static final int TENSORS_NAMED = 8;
    private static final int MOST_ROUNDS = 4;

    /** The plan taken, and what it is measured against. */
    record Choice(CandidatePlan plan, CandidatePlan keepAll, long floorBytes, long smallestFoundBytes) {}

    private final PlanningProblem planning;
    private final CompileOptions options;
    private final TargetModel target;
    private final StageRunner stages;
    private final SearchListener listener;
    /** Every plan that was carried through to its arena, keeping everything first. */
    private final List<CandidatePlan> tried = new ArrayList<>();

    private ChoosePlan(PlanningProblem planning, CompileOptions options, TargetModel target, StageRunner stages,
            SearchListener listener) {
        this.planning = planning;
        this.options = options;
        this.target = target;
        this.stages = stages;
        this.listener = listener;
    }

    /** @throws BudgetException if no plan fits the budget */
    static Choice run(PlanningProblem planning, CompileOptions options, TargetModel target, StageRunner stages,
            SearchListener listener) {
        return new ChoosePlan(planning, options, target, stages, listener).run();
    }

    private Choice run() {
        CandidatePlan keepAll = carryThrough(proposals(List.of(new KeepAll()), PlannerOptions.none()).getFirst());
        CandidatePlan chosen = options.budgetBytes().isPresent()
                ? withinBudget(options.budgetBytes().getAsLong())
                : options.strategy().isPresent() ? smallest(planners()) : keepAll;
        return new Choice(chosen, keepAll, Floor.of(planning.problem()).bytes(), smallestTried().arenaBytes());
    }

    private List<Planner> planners() {
        return options.strategy().map(name -> List.of(Strategies.named(name))).orElseGet(Strategies::all);
    }

    private CandidatePlan smallest(List<Planner> planners) {
        return carryThrough(proposals(planners, PlannerOptions.none()).getFirst());
    }

    private CandidatePlan withinBudget(long budget) {
        boolean mayKeepAll = planners().stream().anyMatch(KeepAll.class::isInstance);
        if (mayKeepAll && tried.getFirst().arenaBytes() <= budget) {
            return tried.getFirst();
        }
        List<Planner> planners = planners().stream().filter(planner -> !(planner instanceof KeepAll)).toList();
        long asked = budget;
        for (int round = 0; round < MOST_ROUNDS && !planners.isEmpty() && asked >= 0; round++) {
            List<Proposal> proposals = proposals(planners, PlannerOptions.withBudget(asked));
            Optional<CandidatePlan> fitting = firstFitting(proposals, budget);
            if (fitting.isPresent()) {
                return fitting.get();
            }
            asked -= smallestTried().arenaBytes() - budget;
        }
        throw infeasible(budget);
    }

    /** The first whose arena fits; of those that reckon with more than the budget only the smallest has a chance. */
    private Optional<CandidatePlan> firstFitting(List<Proposal> proposals, long budget) {
        for (Proposal proposal : proposals) {
            CandidatePlan candidate = carryThrough(proposal);
            if (candidate.arenaBytes() <= budget) {
                return Optional.of(candidate);
            }
            if (proposal.evaluation().peakBytes() > budget) {
                break;
            }
        }
        return Optional.empty();
    }

    private List<Proposal> proposals(List<Planner> planners, PlannerOptions asked) {
        return stages.run("plan", () -> Proposal.of(planning.problem(), planners, asked.telling(listener)));
    }

    /** The plan of a sequence, which is made once. */
    private CandidatePlan carryThrough(Proposal proposal) {
        OperatorSequence sequence = proposal.sequence();
        for (CandidatePlan known : tried) {
            boolean same = known.sequence().sameSteps(sequence)
                    && known.sequence().strategy().equals(sequence.strategy());
            if (same) {
                return known;
            }
        }
        CandidatePlan candidate = CandidatePlan.of(planning, proposal, target, stages);
        tried.add(candidate);
        return candidate;
    }

    private CandidatePlan smallestTried() {
        return tried.stream().min(Comparator.comparingLong(CandidatePlan::arenaBytes)).orElseThrow();
    }

    private BudgetException infeasible(long budget) {
        CandidatePlan smallest = smallestTried();
        List<String> tensors = LiveTensors.at(planning.problem(), smallest.sequence(), smallest.evaluation().peakStep())
                .stream()
                .limit(TENSORS_NAMED)
                .map(tensor -> tensor.name() + " (" + tensor.bytes() + " bytes)")
                .toList();
        long floor = Floor.of(planning.problem()).bytes();
        return new BudgetException(budget, floor, smallest.arenaBytes(), tensors);
    }
}
