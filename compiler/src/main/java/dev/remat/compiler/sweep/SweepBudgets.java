package dev.remat.compiler.sweep;

import dev.remat.compiler.FitArena;
import dev.remat.compiler.plan.KeepAll;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongFunction;

/**
 * Asks strategies for plans within several budgets and measures every plan. {@code auto} is asked again for less where
 * a measure exceeds the budget, and for the smallest plan.
 */
public final class SweepBudgets {
    private static final int TENTHS = 10;

    private record Measured(OperatorSequence sequence, SweepPoint point) {}

    private final SweepSubject subject;
    private final RematProblem problem;
    private final PlannerOptions options;
    /** Every plan so far, so that none is measured twice. */
    private final List<Measured> measured = new ArrayList<>();

    private SweepBudgets(SweepSubject subject, PlannerOptions options) {
        this.subject = subject;
        this.problem = subject.problem();
        this.options = options;
    }

    /**
     * @param planners in the order of the columns
     * @param budgets from what keeping everything takes
     * @param options effort and listener
     */
    public static Sweep run(
            SweepSubject subject, List<Planner> planners, LongFunction<List<Long>> budgets, PlannerOptions options) {
        return new SweepBudgets(subject, options).run(planners, budgets);
    }

    /** Tenths of what keeping everything takes, from nine down, that are not below the floor; all of it if none is. */
    public static List<Long> tenths(long keepAllBytes, long floorBytes) {
        List<Long> budgets = new ArrayList<>();
        for (int tenth = TENTHS - 1; tenth > 0; tenth--) {
            long budget = (long) (keepAllBytes * (double) tenth / TENTHS);
            if (budget >= floorBytes) {
                budgets.add(budget);
            }
        }
        return budgets.isEmpty() ? List.of(keepAllBytes) : budgets;
    }

    private Sweep run(List<Planner> planners, LongFunction<List<Long>> chosen) {
        SweepPoint keepAll = measure(Proposal.of(problem, new KeepAll().plan(problem, options)));
        List<Long> budgets = chosen.apply(keepAll.bytes()).stream()
                .distinct()
                .sorted(Comparator.reverseOrder())
                .toList();
        List<Sweep.Column> columns = new ArrayList<>();
        for (Planner planner : planners) {
            columns.add(new Sweep.Column(planner.name(), isAuto(planner) ? List.of() : alone(planner, budgets)));
        }
        for (int i = 0; i < planners.size(); i++) {
            if (isAuto(planners.get(i))) {
                columns.set(i, new Sweep.Column(planners.get(i).name(), auto(budgets)));
            }
        }
        return new Sweep(keepAll, problem.baselineCost(), budgets, columns);
    }

    private static boolean isAuto(Planner planner) {
        return planner.name().equals(Strategies.auto().name());
    }

    /** One plan a budget. */
    private List<SweepPoint> alone(Planner planner, List<Long> budgets) {
        options.listener().trying("sweeping " + planner.name());
        return budgets.parallelStream()
                .map(budget -> Proposal.of(problem, planner.plan(problem, options.within(budget))))
                .toList()
                .stream()
                .map(this::measure)
                .toList();
    }

    /** Everything measured so far, and its own plans. */
    private List<SweepPoint> auto(List<Long> budgets) {
        Planner auto = Strategies.auto();
        for (int i = 0; i < budgets.size(); i++) {
            options.listener().trying("sweeping auto, budget " + (i + 1) + " of " + budgets.size());
            FitArena.run(
                    problem.nodeCount(),
                    options.within(budgets.get(i)),
                    asked -> Proposal.of(problem, auto.plan(problem, asked)),
                    proposal -> measure(proposal).bytes());
        }
        measure(Proposal.of(problem, auto.plan(problem, options.with(Effort.QUICK))));
        return measured.stream().map(Measured::point).toList();
    }

    private SweepPoint measure(Proposal proposal) {
        OperatorSequence sequence = proposal.sequence();
        for (Measured known : measured) {
            if (known.sequence().sameSteps(sequence)) {
                SweepPoint point = known.point();
                return new SweepPoint(sequence.strategy(), point.bytes(), point.cost());
            }
        }
        SweepPoint point = new SweepPoint(
                sequence.strategy(),
                subject.bytes().applyAsLong(proposal),
                proposal.evaluation().cost());
        measured.add(new Measured(sequence, point));
        return point;
    }
}
