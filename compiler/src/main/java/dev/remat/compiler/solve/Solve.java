package dev.remat.compiler.solve;

import dev.remat.compiler.BudgetException;
import dev.remat.compiler.plan.Floor;
import dev.remat.compiler.plan.KeepAll;
import dev.remat.compiler.plan.LiveTensors;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.ProvedBounds;
import dev.remat.compiler.plan.bound.LowerBounds;
import dev.remat.ir.plan.RematProblem;
import java.util.List;
import java.util.stream.LongStream;

/** Plans a problem by one strategy, or by the best of all, and claims what the evaluator finds. */
public final class Solve {
    private Solve() {}

    /** Peak of the given order in which nothing is recomputed but what is pinned: what shares of a budget refer to. */
    public static long keepAllBytes(RematProblem problem) {
        return keepAll(problem).evaluation().peakBytes();
    }

    /**
     * The cheapest sequence within the budget that the strategies find; without a budget the smallest.
     *
     * @param planners at least one
     * @throws BudgetException if there is a budget and no sequence found fits it
     */
    public static SolveAnswer run(RematProblem problem, List<Planner> planners, PlannerOptions options) {
        ProvedBounds bounds = new ProvedBounds(options.listener());
        List<Proposal> proposals = Proposal.of(problem, planners, options.telling(bounds));
        Proposal best = proposals.getFirst();
        Floor floor = Floor.of(problem);
        long smallest = LongStream.concat(
                        LongStream.of(keepAllBytes(problem)),
                        proposals.stream()
                                .mapToLong(proposal -> proposal.evaluation().peakBytes()))
                .min()
                .getAsLong();
        if (options.budgetBytes().isPresent() && !best.fits(options)) {
            throw new BudgetException(
                    options.budgetBytes().getAsLong(),
                    floor.bytes(),
                    setter(problem, floor),
                    smallest,
                    LiveTensors.at(problem, best.sequence(), best.evaluation().peakStep()),
                    options.listener().expired());
        }
        boolean known = planners.stream().anyMatch(Planner::provesBounds);
        if (best.evaluation().recomputedCost() > 0 && !known) {
            options.listener().trying("proving a lower bound");
            LowerBounds.of(
                    problem,
                    options.with(Effort.QUICK).telling(bounds),
                    best.evaluation().cost());
        }
        return SolveAnswer.of(problem.name(), best.sequence(), best.evaluation())
                .withBudget(options.budgetBytes())
                .withLowerBound(bounds.covering(problem, best.sequence()))
                .withMemoryFound(floor.bytes(), smallest);
    }

    private static Proposal keepAll(RematProblem problem) {
        return Proposal.of(problem, new KeepAll().plan(problem, PlannerOptions.none()));
    }

    private static String setter(RematProblem problem, Floor floor) {
        return floor.node() < 0 ? "what is given and left behind" : "running '" + problem.nodeId(floor.node()) + "'";
    }
}
