package dev.remat.compiler.plan;

import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.Comparator;
import java.util.List;

/** A sequence that a strategy made, and what the evaluator says of it. */
public record Proposal(OperatorSequence sequence, SequenceEvaluation evaluation) {
    /** @throws IllegalArgumentException if the sequence is invalid, which is a defect of the strategy */
    public static Proposal of(RematProblem problem, OperatorSequence sequence) {
        SequenceEvaluation evaluation = SequenceEvaluator.evaluate(problem, sequence);
        if (!evaluation.valid()) {
            throw new IllegalArgumentException("'" + sequence.strategy() + "' made an invalid sequence: "
                    + evaluation.violations().getFirst());
        }
        return new Proposal(sequence, evaluation);
    }

    /** What each planner proposes, best first; of equals the one whose planner comes first. */
    public static List<Proposal> of(RematProblem problem, List<Planner> planners, PlannerOptions options) {
        return planners.stream()
                .map(planner -> {
                    options.listener().trying("planning by " + planner.name());
                    return of(problem, planner.plan(problem, options));
                })
                .sorted(bestFirst(options))
                .toList();
    }

    /**
     * The cheapest of those that fit the budget, then the others, smallest first. Where no budget is given, none fits:
     * the smallest is the best.
     */
    public static Comparator<Proposal> bestFirst(PlannerOptions options) {
        Comparator<Proposal> cheapest =
                Comparator.comparingLong(proposal -> proposal.evaluation().cost());
        Comparator<Proposal> smallest =
                Comparator.comparingLong(proposal -> proposal.evaluation().peakBytes());
        return (a, b) -> {
            boolean fits = a.fits(options);
            if (fits != b.fits(options)) {
                return fits ? -1 : 1;
            }
            return (fits ? cheapest.thenComparing(smallest) : smallest.thenComparing(cheapest)).compare(a, b);
        };
    }

    /** Whether there is a budget and the peak within it. */
    public boolean fits(PlannerOptions options) {
        return options.budgetBytes().isPresent()
                && evaluation.peakBytes() <= options.budgetBytes().getAsLong();
    }
}
