package dev.remat.compiler.plan;

import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The best of the sequences offered: the cheapest of those that fit the budget, or the smallest if none fits or none
 * was asked for; of equals the first.
 */
public final class BestSequence {
    private final RematProblem problem;
    private final Comparator<Proposal> bestFirst;
    private final SearchListener listener;
    private final long pass;
    private Optional<Proposal> best = Optional.empty();

    public BestSequence(RematProblem problem, PlannerOptions options) {
        this.problem = problem;
        bestFirst = Proposal.bestFirst(options);
        listener = options.listener();
        pass = WorkBound.pass(problem);
    }

    /**
     * Whether the sequence is the best so far.
     *
     * @throws IllegalArgumentException if it is invalid
     */
    public boolean offer(OperatorSequence candidate) {
        return offer(Proposal.of(problem, candidate));
    }

    /** The same of what has been evaluated. */
    public boolean offer(Proposal offered) {
        boolean improves = best.isEmpty() || bestFirst.compare(offered, best.get()) < 0;
        if (improves) {
            best = Optional.of(offered);
        }
        return improves;
    }

    /**
     * Offers what the trial makes; whether that is the best so far. Where there is something else and time is up, the
     * trial is not made, or not ended.
     */
    public boolean attempt(Supplier<OperatorSequence> trial) {
        if (best.isPresent() && listener.expired()) {
            return false;
        }
        try {
            return offer(trial.get());
        } catch (TimeIsUpException e) {
            return false;
        } finally {
            listener.worked(pass);
        }
    }

    /** The best so far; at least one must have been offered. */
    public OperatorSequence sequence() {
        return proposal().sequence();
    }

    /** The same with what the evaluator says of it. */
    public Proposal proposal() {
        return best.orElseThrow();
    }
}
