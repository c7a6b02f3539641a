package dev.remat.compiler.plan.evaluate;

import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.Tier;
import java.util.ArrayList;
import java.util.List;

/**
 * The one judge of operator sequences: a plain sweep in time proportional to the edges of all steps.
 *
 * <p>At a step everything is in use that was computed before and is read at it or later before being computed again,
 * with the step's results, its workspace, the residents (once) and the outputs computed so far.
 *
 * <p>Where tiers lie below the device, the cost is the time of the whole step, {@link TimelineEvaluator}'s makespan,
 * and a tier that cannot hold what is stored is a violation. Without transfers that is the same sum of costs.
 */
public final class SequenceEvaluator {
    private SequenceEvaluator() {}

    /** Peak, cost and violations of a sequence. */
    public static SequenceEvaluation evaluate(RematProblem problem, OperatorSequence sequence) {
        List<String> violations = SequenceChecker.violations(problem, sequence);
        if (violations.isEmpty() && !problem.tiers().isEmpty()) {
            violations = excess(problem, TierBytes.peaks(problem, sequence));
        }
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
                problem.tiers().isEmpty()
                        ? cost(problem, sequence)
                        : TimelineEvaluator.evaluate(problem, sequence).makespan(),
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
        int more = 0;
        for (int t = 0; t < sequence.length(); t++) {
            more += sequence.runs(t) ? 1 : 0;
        }
        for (int n = 0; n < problem.nodeCount(); n++) {
            more -= problem.residentNode(n) ? 0 : 1;
        }
        return more;
    }

    private static List<String> excess(RematProblem problem, long[] tierPeaks) {
        List<String> violations = new ArrayList<>();
        for (int k = 0; k < tierPeaks.length; k++) {
            Tier tier = problem.tiers().get(k);
            if (tierPeaks[k] > tier.bytes()) {
                violations.add("tier '" + tier.name() + "' has " + tier.bytes() + " bytes and needs " + tierPeaks[k]);
            }
        }
        return violations;
    }
}
