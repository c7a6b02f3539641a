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
 * the same plan share it. About a large step only the strongest strategies are asked, one after the other.
 */
public final class PlansByBudget {
    private PlansByBudget() {}

    /**
     * @param step whose options say how long to search for each
     * @param most number of budgets, at least 1: that of keeping everything alone
     * @return largest first
     */
    public static List<Compilation> run(Compiler compiler, PreparedStep step, int most) {
        BudgetSearch<RealizedPlan> search = compiler.search(step);
        boolean large = step.planning().problem().nodeCount() > SearchLimits.ASKED_AROUND;
        List<Planner> planners = large ? Strategies.strongest() : List.of(Strategies.auto());
        long largest = search.keepAll().bytes();
        List<Long> budgets = new ArrayList<>(List.of(largest));
        if (most > 1) {
            long smallest = planners.stream()
                    .mapToLong(planner -> search.smallest(planner).bytes())
                    .min()
                    .orElseThrow();
            for (int i = 1; i < most; i++) {
                budgets.add(largest - (largest - smallest) / (most - 1) * i);
            }
            budgets.set(most - 1, Math.min(largest, smallest));
            for (long budget : budgets) {
                fit(search, planners, budget);
            }
        }
        List<OperatorSequence> tried =
                search.measured().stream().map(RealizedPlan::sequence).toList();
        List<Compilation> plans = new ArrayList<>();
        for (long budget : budgets) {
            Choice<RealizedPlan> choice = search.among(tried, budget);
            boolean known = !plans.isEmpty()
                    && plans.getLast().sequence().sameSteps(choice.plan().sequence());
            if (!known) {
                plans.add(compiler.compile(step, any -> choice));
            }
        }
        return plans;
    }

    /** By the first of the strategies that finds one. */
    private static void fit(BudgetSearch<RealizedPlan> search, List<Planner> planners, long budget) {
        for (Planner planner : planners) {
            if (search.fit(planner, budget).plan().bytes() <= budget) {
                return;
            }
        }
    }
}
