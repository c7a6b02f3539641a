package dev.remat.compiler.sweep;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.RealizedPlan;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.SearchLimits;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.search.BudgetSearch;
import dev.remat.compiler.search.Choice;
import dev.remat.ir.plan.OperatorSequence;
import java.util.ArrayList;
import java.util.List;

/**
 * Plans of one step for budgets at equal distances, from what keeping everything takes down to the smallest plan found.
 * Each is the cheapest of all that were tried and fit, so that a looser budget never costs more. Budgets that lead to
 * the same plan share it. About a large step only the strongest strategies are asked, one after the other, and about
 * several budgets side by side.
 */
public final class PlansByBudget {
    /** Parts of what keeping everything takes: no further strategy is asked for plans that take less. */
    private static final int SMALL = 2;

    private final Compiler compiler;
    private final PreparedStep step;
    private final BudgetSearch<RealizedPlan> search;
    private final boolean large;
    private final List<Planner> planners;
    private final long largest;

    private PlansByBudget(Compiler compiler, PreparedStep step) {
        this.compiler = compiler;
        this.step = step;
        search = compiler.search(step);
        large = step.planning().problem().nodeCount() > SearchLimits.ASKED_AROUND;
        planners = large ? Strategies.strongest() : List.of(Strategies.auto());
        largest = search.keepAll().bytes();
    }

    /**
     * @param step whose options say how long to search for each
     * @param most number of budgets, at least 1: that of keeping everything alone
     * @return largest first
     */
    public static List<Compilation> run(Compiler compiler, PreparedStep step, int most) {
        return new PlansByBudget(compiler, step.apart()).run(most);
    }

    private List<Compilation> run(int most) {
        List<Long> budgets = new ArrayList<>(List.of(largest));
        if (most > 1) {
            long smallest = smallest();
            for (int i = 1; i < most - 1; i++) {
                budgets.add(largest - (largest - smallest) / (most - 1) * i);
            }
            budgets.add(smallest);
            fit(budgets.subList(1, most));
        }
        List<OperatorSequence> tried =
                search.measured().stream().map(RealizedPlan::sequence).toList();
        List<Choice<RealizedPlan>> choices = new ArrayList<>();
        for (long budget : budgets) {
            Choice<RealizedPlan> choice = search.among(tried, budget);
            boolean known = !choices.isEmpty()
                    && choices.getLast()
                            .plan()
                            .sequence()
                            .sameSteps(choice.plan().sequence());
            if (!known) {
                choices.add(choice);
            }
        }
        return choices.parallelStream()
                .map(choice -> compiler.compile(step.apart(), any -> choice))
                .toList();
    }

    /** No more than keeping everything takes. */
    private long smallest() {
        long least = largest;
        for (Planner planner : planners) {
            if (least > largest / SMALL) {
                least = Math.min(least, search.smallest(planner).bytes());
            }
        }
        return least;
    }

    /** By the first of the strategies that finds one for a budget. */
    private void fit(List<Long> budgets) {
        if (large) {
            Planner first = planners.getFirst();
            List<RealizedPlan> proposed = budgets.parallelStream()
                    .map(budget -> compiler.realize(step.apart(), search.propose(first, budget)))
                    .toList();
            for (int i = 0; i < budgets.size(); i++) {
                boolean fits = search.fit(first, budgets.get(i), proposed.get(i))
                                .plan()
                                .bytes()
                        <= budgets.get(i);
                if (!fits) {
                    fit(planners.subList(1, planners.size()), budgets.get(i));
                }
            }
        } else {
            budgets.forEach(budget -> fit(planners, budget));
        }
    }

    private void fit(List<Planner> asked, long budget) {
        for (Planner planner : asked) {
            if (search.fit(planner, budget).plan().bytes() <= budget) {
                return;
            }
        }
    }
}
