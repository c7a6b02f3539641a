package dev.remat.compiler.plan;

import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.Optional;

/**
 * The best of the sequences offered: the cheapest of those that fit the budget, or the smallest if none fits or none
 * was asked for; of equals the first.
 */
final class BestSequence {
    private final RematProblem problem;
    private final PlannerOptions options;
    private Optional<Candidate> best = Optional.empty();

    private record Candidate(OperatorSequence sequence, SequenceEvaluation evaluation) {}

    BestSequence(RematProblem problem, PlannerOptions options) {
        this.problem = problem;
        this.options = options;
    }

    /**
     * Whether the sequence is the best so far.
     *
     * @throws IllegalArgumentException if it is invalid
     */
    boolean offer(OperatorSequence candidate) {
        SequenceEvaluation offered = SequenceEvaluator.evaluate(problem, candidate);
        if (!offered.valid()) {
            throw new IllegalArgumentException(
                    "'" + candidate.strategy() + "' made an invalid sequence: " + offered.violations().getFirst());
        }
        boolean improves = best.isEmpty() || better(offered, best.get().evaluation());
        if (improves) {
            best = Optional.of(new Candidate(candidate, offered));
        }
        return improves;
    }

    /** The best so far; at least one must have been offered. */
    OperatorSequence sequence() {
        return best.orElseThrow().sequence();
    }

    private boolean better(SequenceEvaluation offered, SequenceEvaluation evaluation) {
        boolean fits = fits(offered);
        if (fits != fits(evaluation)) {
            return fits;
        }
        long first = fits ? offered.cost() - evaluation.cost() : offered.peakBytes() - evaluation.peakBytes();
        long second = fits ? offered.peakBytes() - evaluation.peakBytes() : offered.cost() - evaluation.cost();
        return first < 0 || first == 0 && second < 0;
    }

    private boolean fits(SequenceEvaluation candidate) {
        return options.budgetBytes().isPresent() && candidate.peakBytes() <= options.budgetBytes().getAsLong();
    }
}
