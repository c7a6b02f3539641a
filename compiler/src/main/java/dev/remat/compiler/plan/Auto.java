package dev.remat.compiler.plan;

import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.List;

/**
 * The best that any of the other strategies finds, with those repeats taken back that the budget does not ask for. So it
 * is never worse than a single one of them.
 */
public final class Auto implements Planner {
    /** Above so many nodes strategies are asked for the budget alone. */
    private static final int LARGE = 20_000;
    /** Tighter budgets asked for are above this share of the budget. */
    private static final double LEAST = 0.5;

    private final List<Planner> members;

    Auto(List<Planner> members) {
        this.members = List.copyOf(members);
    }

    @Override
    public String name() {
        return "auto";
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        Portfolio portfolio = new Portfolio(problem, options);
        List<Planner> seeds = members.stream().filter(member -> !(member instanceof Anneal)).toList();
        if (problem.nodeCount() > LARGE) {
            portfolio.ask(seeds);
        } else {
            portfolio.askAround(seeds, LEAST);
        }
        portfolio.ask(members.stream().filter(Anneal.class::isInstance).toList());
        return portfolio.best().sequence();
    }
}
