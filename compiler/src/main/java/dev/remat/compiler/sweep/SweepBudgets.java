package dev.remat.compiler.sweep;

import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.ProvedBounds;
import dev.remat.compiler.plan.bound.LowerBounds;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.search.Budget;
import dev.remat.compiler.search.BudgetSearch;
import dev.remat.compiler.search.MeasuredPlan;
import dev.remat.compiler.search.Subject;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Asks strategies for plans within several budgets and measures every plan. {@code auto} is asked again for less where
 * a measure exceeds the budget, and for the smallest plan.
 */
public final class SweepBudgets {
    private static final int TENTHS = 10;

    private final Subject<MeasuredPlan> subject;
    private final PlannerOptions options;
    private final BudgetSearch<MeasuredPlan> search;

    private SweepBudgets(Subject<?> subject, PlannerOptions options) {
        this.subject = subject.bytesOnly();
        this.options = options.telling(options.listener().withoutProofs());
        this.search = new BudgetSearch<>(this.subject, options.effort(), options.listener());
    }

    /**
     * @param planners in the order of the columns
     * @param budgets none: tenths of what keeping everything takes
     * @param options effort and listener
     * @param bounded whether to prove as well what every plan within a budget costs at least
     */
    public static Sweep run(
            Subject<?> subject, List<Planner> planners, List<Budget> budgets, PlannerOptions options, boolean bounded) {
        return new SweepBudgets(subject, options).run(planners, budgets, bounded);
    }

    /** Tenths of what keeping everything takes, from nine down, that are not below the floor; all of it if none is. */
    static List<Long> tenths(long keepAllBytes, long floorBytes) {
        List<Long> budgets = new ArrayList<>();
        for (int tenth = TENTHS - 1; tenth > 0; tenth--) {
            long budget = (long) (keepAllBytes * (double) tenth / TENTHS);
            if (budget >= floorBytes) {
                budgets.add(budget);
            }
        }
        return budgets.isEmpty() ? List.of(keepAllBytes) : budgets;
    }

    private Sweep run(List<Planner> planners, List<Budget> chosen, boolean bounded) {
        MeasuredPlan keepAll = search.keepAll();
        List<Long> budgets = chosen.isEmpty()
                ? tenths(keepAll.bytes(), subject.floor().bytes())
                : chosen.stream()
                        .map(budget -> budget.bytes(keepAll.bytes()))
                        .distinct()
                        .sorted(Comparator.reverseOrder())
                        .toList();
        List<Sweep.Column> columns = new ArrayList<>();
        for (Planner planner : planners) {
            columns.add(new Sweep.Column(planner.name(), isAuto(planner) ? List.of() : alone(planner, budgets)));
        }
        for (int i = 0; i < planners.size(); i++) {
            if (isAuto(planners.get(i))) {
                columns.set(i, new Sweep.Column(planners.get(i).name(), auto(planners.get(i), budgets)));
            }
        }
        long baselineCost = subject.cost(subject.problem().baselineCost());
        List<Long> bounds = bounded ? bounds(budgets) : List.of();
        return new Sweep(point(keepAll), subject.floor(), baselineCost, budgets, columns, bounds);
    }

    /** Below every plan, those that move nothing included. */
    private List<Long> bounds(List<Long> budgets) {
        options.listener().trying("proving lower bounds");
        return budgets.parallelStream()
                .map(budget -> Stream.concat(Stream.of(subject.problem()), subject.still().stream())
                        .mapToLong(problem -> bound(problem, budget))
                        .min()
                        .getAsLong())
                .map(subject::cost)
                .toList();
    }

    private long bound(RematProblem problem, long budget) {
        ProvedBounds proved = new ProvedBounds(options.listener());
        LowerBounds.of(problem, options.with(Effort.QUICK).within(budget).telling(proved));
        return proved.ofAnyOrder(problem).cost();
    }

    private static boolean isAuto(Planner planner) {
        return planner.equals(Strategies.auto());
    }

    /** One plan a budget, while there is time. */
    private List<SweepPoint> alone(Planner planner, List<Long> budgets) {
        options.listener().trying("sweeping " + planner.name());
        List<Proposal> proposals = budgets.parallelStream()
                .filter(budget -> !options.listener().expired())
                .map(budget -> subject.propose(planner, options.within(budget)))
                .toList();
        return proposals.stream()
                .takeWhile(proposal -> !options.listener().expired())
                .map(search::measure)
                .map(this::point)
                .toList();
    }

    /** Everything measured so far, and its own plans. */
    private List<SweepPoint> auto(Planner auto, List<Long> budgets) {
        for (int i = 0; i < budgets.size() && !options.listener().expired(); i++) {
            options.listener().trying("sweeping auto, budget " + (i + 1) + " of " + budgets.size());
            search.fit(auto, budgets.get(i));
        }
        if (!options.listener().expired()) {
            search.smallest(auto);
        }
        return search.measured().stream().map(this::point).toList();
    }

    private SweepPoint point(MeasuredPlan plan) {
        return new SweepPoint(
                plan.sequence().strategy(),
                plan.bytes(),
                subject.cost(plan.evaluation().cost()));
    }
}
