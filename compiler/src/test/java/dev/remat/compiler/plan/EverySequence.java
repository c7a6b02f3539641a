package dev.remat.compiler.plan;

import dev.remat.compiler.plan.evaluate.SequenceChecker;
import dev.remat.compiler.plan.evaluate.StorageTimeline;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Tries all valid sequences of a small problem below a cost, one after the other, but those with a recomputation that
 * is never read. Requires that every computation costs something.
 */
public final class EverySequence {
    private final RematProblem problem;
    /** The same problem without outputs: the start of a sequence takes no more in it than all of it in the problem. */
    private final RematProblem withoutOutputs;

    private final long budget;
    private final boolean givenOrder;
    private final int[] computations;
    private int[] steps = new int[0];
    private int missing;
    private long tried;

    private EverySequence(RematProblem problem, long budget, boolean givenOrder) {
        this.problem = problem;
        List<ProblemNode> nodes = new ArrayList<>();
        for (int n = 0; n < problem.nodeCount(); n++) {
            nodes.add(problem.node(n));
        }
        withoutOutputs = RematProblem.of(problem.name(), nodes, List.of());
        this.budget = budget;
        this.givenOrder = givenOrder;
        computations = new int[problem.nodeCount()];
        for (int n = 0; n < problem.nodeCount(); n++) {
            missing += problem.residentNode(n) ? 0 : 1;
        }
    }

    /**
     * A sequence within the budget that costs less than {@code cost}, if there is any.
     *
     * @param givenOrder only those that {@link BoundScope#GIVEN_ORDER} covers
     */
    public static Optional<OperatorSequence> cheaper(RematProblem problem, long budget, boolean givenOrder, long cost) {
        EverySequence every = new EverySequence(problem, budget, givenOrder);
        return Optional.ofNullable(every.extend(cost - problem.baselineCost(), -1));
    }

    /** @param spare the recomputations still to come must cost less */
    private OperatorSequence extend(long spare, int latest) {
        if (spare <= 0) {
            return null;
        }
        OperatorSequence now = new OperatorSequence("every", steps, List.of());
        if (!startFits()) {
            return null;
        }
        if (missing == 0) {
            if (SequenceChecker.violations(problem, now).isEmpty() && BruteForce.peak(problem, now) <= budget) {
                return now;
            }
        }
        for (int n = 0; n < problem.nodeCount(); n++) {
            boolean first = computations[n] == 0;
            boolean placed = first && problem.role(n) != Role.UPDATE;
            if (!mayRun(n) || placed && givenOrder && n != nextPlaced(latest) || missing == 0) {
                continue;
            }
            computations[n]++;
            missing -= first ? 1 : 0;
            steps = Arrays.copyOf(steps, steps.length + 1);
            steps[steps.length - 1] = n;
            OperatorSequence found = extend(first ? spare : spare - problem.cost(n), placed ? n : latest);
            steps = Arrays.copyOf(steps, steps.length - 1);
            missing += first ? 1 : 0;
            computations[n]--;
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private int nextPlaced(int latest) {
        int n = latest + 1;
        while (problem.residentNode(n) || problem.role(n) == Role.UPDATE) {
            n++;
        }
        return n;
    }

    private boolean mayRun(int node) {
        boolean again = computations[node] > 0;
        if (problem.residentNode(node) || again && (problem.once(node) || problem.pin(node) == Pin.RETAIN)) {
            return false;
        }
        for (int k = 0; k < problem.inputCount(node); k++) {
            int producer = problem.producer(problem.input(node, k));
            if (!problem.residentNode(producer) && computations[producer] == 0) {
                return false;
            }
        }
        return computations[node] < 2 || latestIsRead(node);
    }

    private boolean latestIsRead(int node) {
        for (int t = steps.length - 1; steps[t] != node; t--) {
            for (int k = 0; k < problem.inputCount(steps[t]); k++) {
                if (problem.producer(problem.input(steps[t], k)) == node) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean startFits() {
        if (++tried > 5_000_000) {
            throw new IllegalStateException("too many sequences to try all");
        }
        OperatorSequence start = new OperatorSequence("start", steps, List.of());
        return Arrays.stream(StorageTimeline.of(withoutOutputs, start).liveBytes())
                        .max()
                        .orElse(0)
                <= budget;
    }
}
