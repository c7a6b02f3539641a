package dev.remat.compiler.plan;

import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Collects what searches prove, from any thread, and says which bound holds for a plan. */
public final class ProvedBounds implements SearchListener {
    private final SearchListener behind;
    private final List<LowerBound> bounds = new ArrayList<>();

    /** @param behind follows as well */
    public ProvedBounds(SearchListener behind) {
        this.behind = behind;
    }

    @Override
    public void trying(String what) {
        behind.trying(what);
    }

    @Override
    public synchronized void proved(LowerBound bound) {
        bounds.add(bound);
        behind.proved(bound);
    }

    @Override
    public boolean expired() {
        return behind.expired();
    }

    @Override
    public <T> T rehearse(Supplier<T> work) {
        return behind.rehearse(work);
    }

    @Override
    public SearchListener halfOfRest() {
        return behind.halfOfRest();
    }

    /** The highest bound that covers the sequence: at least the cost of every node once. */
    public LowerBound covering(RematProblem problem, OperatorSequence sequence) {
        return highest(problem, scope -> scope.covers(problem, sequence));
    }

    /** The highest bound that covers every sequence. */
    public LowerBound ofAnyOrder(RematProblem problem) {
        return highest(problem, BoundScope.ANY_ORDER::equals);
    }

    private synchronized LowerBound highest(RematProblem problem, Predicate<BoundScope> covers) {
        LowerBound best = new LowerBound(problem.baselineCost(), BoundScope.ANY_ORDER);
        for (LowerBound bound : bounds) {
            if (bound.cost() > best.cost() && covers.test(bound.scope())) {
                best = bound;
            }
        }
        return best;
    }
}
