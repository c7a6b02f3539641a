package dev.remat.compiler.plan;

import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Collects what searches prove, from any thread, and says which bound holds for a plan. */
public final class ProvedBounds extends ForwardingListener {
    /** Of the cost of everything once. */
    private static final double NEAR = 0.0015;

    private final List<LowerBound> bounds = new ArrayList<>();

    /** @param behind follows as well */
    public ProvedBounds(SearchListener behind) {
        super(behind);
    }

    @Override
    public void proved(LowerBound bound) {
        synchronized (bounds) {
            bounds.add(bound);
        }
        super.proved(bound);
    }

    /** The highest bound that covers the sequence: at least the cost of every node once. */
    public LowerBound covering(RematProblem problem, OperatorSequence sequence) {
        return highest(problem, scope -> scope.covers(problem, sequence));
    }

    /**
     * Whether a search of that effort has nothing left to find: the sequence costs what a bound of any order says, or,
     * for a normal effort, hardly more than the highest bound that covers it.
     */
    public boolean closes(RematProblem problem, Proposal plan, Effort effort) {
        long cost = plan.evaluation().cost();
        return cost <= ofAnyOrder(problem).cost()
                || effort == Effort.NORMAL && isNear(problem, cost, covering(problem, plan.sequence()));
    }

    /** Whether nothing in any order costs less, but for what a normal effort does not search for. */
    public boolean closesAnyOrder(RematProblem problem, long cost) {
        return isNear(problem, cost, ofAnyOrder(problem));
    }

    private static boolean isNear(RematProblem problem, long cost, LowerBound bound) {
        return cost - bound.cost() <= NEAR * problem.baselineCost();
    }

    /** The highest bound that covers every sequence. */
    public LowerBound ofAnyOrder(RematProblem problem) {
        return highest(problem, BoundScope.ANY_ORDER::equals);
    }

    private LowerBound highest(RematProblem problem, Predicate<BoundScope> covers) {
        LowerBound best = new LowerBound(problem.baselineCost(), BoundScope.ANY_ORDER);
        synchronized (bounds) {
            for (LowerBound bound : bounds) {
                if (bound.cost() > best.cost() && covers.test(bound.scope())) {
                    best = bound;
                }
            }
        }
        return best;
    }
}
