package dev.remat.compiler.plan.evaluate;

import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.List;

/**
 * The one judge of operator sequences: a plain sweep in time proportional to the edges of all steps.
 *
 * <p>At a step everything is in use that was computed before and is read at it or later before being computed again,
 * with the step's results, its workspace, the residents (once) and the outputs computed so far.
 */
public final class SequenceEvaluator {
    private SequenceEvaluator() {}

    /** Peak, cost and violations of a sequence. */
    public static SequenceEvaluation evaluate(RematProblem problem, OperatorSequence sequence) {
        List<String> violations = SequenceChecker.violations(problem, sequence);
        if (!violations.isEmpty()) {
            return new SequenceEvaluation(0, -1, new long[0], 0, problem.baselineCost(), 0, violations);
        }
        long[] live = StorageTimeline.of(problem, sequence).liveBytes();
        int peakStep = -1;
        long peak = problem.residentBytes();
        for (int t = 0; t < live.length; t++) {
            if (peakStep < 0 || live[t] > peak) {
                peak = live[t];
                peakStep = t;
            }
        }
        return new SequenceEvaluation(
                peak,
                peakStep,
                live,
                cost(problem, sequence),
                problem.baselineCost(),
                recomputations(problem, sequence),
                violations);
    }

    /** Stops at the largest long rather than overflow. */
    private static long cost(RematProblem problem, OperatorSequence sequence) {
        long sum = 0;
        for (int n = 0; n < problem.nodeCount(); n++) {
            if (problem.residentNode(n)) {
                sum += problem.cost(n);
            }
        }
        for (int t = 0; t < sequence.length(); t++) {
            long cost = problem.cost(sequence.node(t));
            sum = cost > Long.MAX_VALUE - sum ? Long.MAX_VALUE : sum + cost;
        }
        return sum;
    }

    private static int recomputations(RematProblem problem, OperatorSequence sequence) {
        int steps = 0;
        for (int n = 0; n < problem.nodeCount(); n++) {
            steps += problem.residentNode(n) ? 0 : 1;
        }
        return sequence.length() - steps;
    }
}
