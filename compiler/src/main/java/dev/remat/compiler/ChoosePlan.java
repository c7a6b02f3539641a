package dev.remat.compiler;

import dev.remat.compiler.plan.BoundScope;
import dev.remat.compiler.plan.KeepAll;
import dev.remat.compiler.plan.LiveTensors;
import dev.remat.compiler.plan.LowerBound;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.ProvedBounds;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.bound.LowerBounds;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Takes the plan that a strategy, by default {@code auto}, makes for the budget: one whose arena fits. Without a budget
 * the smallest plan of the strategy, or none named, the plan that keeps everything.
 */
final class ChoosePlan {
    /**
     * The plan taken, and what it is measured against.
     *
     * @param bound no plan within the budget costs less, as strategies reckon memory
     * @param tighteningRounds times that the strategy was asked for less than the budget, because an arena exceeded it
     */
    record Choice(
            CandidatePlan plan,
            CandidatePlan keepAll,
            StepFloor floor,
            long smallestFoundBytes,
            LowerBound bound,
            int tighteningRounds) {}

    private final UnplannedStep step;
    private final RematProblem problem;
    private final CompileOptions options;
    private final ProvedBounds bounds;
    private final PlannerOptions unbounded;
    /** Every plan that was carried through to its arena, keeping everything first. */
    private final List<CandidatePlan> tried = new ArrayList<>();

    private int tighteningRounds;

    private ChoosePlan(UnplannedStep step, SearchListener listener) {
        this.step = step;
        this.problem = step.problem();
        this.options = step.options();
        this.bounds = new ProvedBounds(listener);
        this.unbounded = PlannerOptions.none().with(options.effort()).telling(bounds);
    }

    /** @throws BudgetException if no plan fits the budget */
    static Choice run(UnplannedStep step, SearchListener listener) {
        return new ChoosePlan(step, listener).run();
    }

    /** @throws BudgetException if none of the sequences fits the budget */
    static Choice among(List<OperatorSequence> known, UnplannedStep step, SearchListener listener) {
        ChoosePlan choose = new ChoosePlan(step, listener);
        choose.keepAll();
        known.forEach(sequence -> choose.carryThrough(Proposal.of(choose.problem, sequence)));
        long budget = step.options().budgetBytes().orElse(Long.MAX_VALUE);
        return choose.choice(choose.tried.stream()
                .filter(plan -> plan.arenaBytes() <= budget)
                .min(Comparator.comparingLong(plan -> plan.evaluation().cost()))
                .orElseThrow(() -> choose.infeasible(budget)));
    }

    private Choice run() {
        CandidatePlan keepAll = keepAll();
        return choice(
                options.budgetBytes().isPresent()
                        ? withinBudget(options.budgetBytes().getAsLong())
                        : options.strategy().isPresent() ? carryThrough(propose(planner(), unbounded)) : keepAll);
    }

    private CandidatePlan keepAll() {
        return carryThrough(propose(new KeepAll(), unbounded));
    }

    private Choice choice(CandidatePlan chosen) {
        return new Choice(
                chosen, tried.getFirst(), step.floor(), smallestTried().arenaBytes(), bound(chosen), tighteningRounds);
    }

    private Planner planner() {
        return options.strategy().map(Strategies::named).orElseGet(Strategies::auto);
    }

    private CandidatePlan withinBudget(long budget) {
        Planner planner = planner();
        boolean auto = planner.equals(Strategies.auto());
        CandidatePlan keepAll = tried.getFirst();
        if (auto && keepAll.arenaBytes() <= budget) {
            return keepAll;
        }
        PlannerOptions asked = unbounded.within(budget);
        Proposal fitting = fitting(planner, asked);
        return carryThrough(auto && tighteningRounds > 0 ? undercut(fitting, asked) : fitting);
    }

    private Proposal fitting(Planner planner, PlannerOptions asked) {
        long budget = asked.budgetBytes().getAsLong();
        if (budget >= step.floor().bytes()) {
            FitArena.Outcome outcome =
                    FitArena.run(problem.nodeCount(), asked, options -> propose(planner, options), this::arenaBytes);
            tighteningRounds = outcome.tighteningRounds();
            if (outcome.arenaBytes() <= budget) {
                return outcome.proposal();
            }
        }
        Proposal smallest = propose(planner, unbounded.with(Effort.QUICK));
        if (arenaBytes(smallest) <= budget) {
            return smallest;
        }
        throw infeasible(budget);
    }

    private Proposal undercut(Proposal fitting, PlannerOptions asked) {
        return UndercutAuto.run(
                problem.nodeCount(),
                fitting,
                asked.with(Effort.QUICK),
                options -> step.stages().run("plan", () -> Proposal.of(problem, Strategies.all(), options)),
                this::arenaBytes);
    }

    private long arenaBytes(Proposal proposal) {
        return carryThrough(proposal).arenaBytes();
    }

    private Proposal propose(Planner planner, PlannerOptions asked) {
        asked.listener().trying("planning by " + planner.name());
        return step.stages().run("plan", () -> Proposal.of(problem, planner.plan(problem, asked)));
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
        CandidatePlan candidate = step.carryThrough(proposal);
        tried.add(candidate);
        return candidate;
    }

    private CandidatePlan smallestTried() {
        return tried.stream()
                .min(Comparator.comparingLong(CandidatePlan::arenaBytes))
                .orElseThrow();
    }

    /** Bounds say nothing of a plan whose arena fits though its peak, as strategies reckon, does not. */
    private LowerBound bound(CandidatePlan chosen) {
        boolean covered = options.budgetBytes().isPresent()
                && chosen.evaluation().peakBytes() <= options.budgetBytes().getAsLong();
        if (!covered) {
            return new LowerBound(problem.baselineCost(), BoundScope.ANY_ORDER);
        }
        if (chosen.evaluation().recomputedCost() > 0 && !planner().provesBounds()) {
            PlannerOptions asked =
                    unbounded.within(options.budgetBytes().getAsLong()).with(Effort.QUICK);
            step.stages()
                    .run(
                            "bound",
                            () -> LowerBounds.of(
                                    problem, asked, chosen.evaluation().cost()));
        }
        return bounds.covering(problem, chosen.sequence());
    }

    private BudgetException infeasible(long budget) {
        CandidatePlan smallest = smallestTried();
        List<LiveTensors.Tensor> tensors = LiveTensors.at(
                problem, smallest.sequence(), smallest.evaluation().peakStep());
        StepFloor floor = step.floor();
        return new BudgetException(
                budget, floor.bytes(), floor.setBy(), smallest.arenaBytes(), tensors, bounds.expired());
    }
}
