package dev.remat.compiler.plan;

import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The sequences that a lower bound covers.
 *
 * @param givenOrder only those whose forward and backward nodes run for the first time in the given order; updates may
 *     stand anywhere
 * @param orderedRecomputations only those in which the recomputations between two first computations run in the given
 * order as well
 * @param mostComputations only those that compute no node more often
 */
public record BoundScope(boolean givenOrder, boolean orderedRecomputations, int mostComputations) {
    /** Every sequence. */
    public static final BoundScope ANY_ORDER = new BoundScope(false, false, Integer.MAX_VALUE);
    /** Every sequence with first computations in the given order, each node computed any number of times. */
    public static final BoundScope GIVEN_ORDER = new BoundScope(true, false, Integer.MAX_VALUE);

    private static final Pattern TEXT =
            Pattern.compile("(any-order|given-order)(?:, at most ([1-9]\\d{0,8}) computations)?");

    public BoundScope {
        if (mostComputations < 1) {
            throw new IllegalArgumentException("no sequence computes a node " + mostComputations + " times");
        }
    }

    /** Sequences in the given order, between first computations too, with at most so many computations of a node. */
    public static BoundScope givenOrder(int mostComputations) {
        return new BoundScope(true, true, mostComputations);
    }

    /**
     * Reads what {@link #text} says; whether recomputations are in order, which that leaves out, goes with a limit on
     * computations.
     *
     * @throws IllegalArgumentException if it is nothing of the kind
     */
    public static BoundScope parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("'" + text + "' is no scope of a bound");
        }
        boolean givenOrder = parts.group(1).equals("given-order");
        return parts.group(2) == null
                ? givenOrder ? GIVEN_ORDER : ANY_ORDER
                : new BoundScope(givenOrder, givenOrder, Integer.parseInt(parts.group(2)));
    }

    /** As answers say it: {@code any-order}, or {@code given-order, at most 3 computations}. */
    public String text() {
        return (givenOrder ? "given-order" : "any-order")
                + (mostComputations == Integer.MAX_VALUE ? "" : ", at most " + mostComputations + " computations");
    }

    /** Whether a bound of this scope says anything about the sequence. */
    public boolean covers(RematProblem problem, OperatorSequence sequence) {
        int[] computations = new int[problem.nodeCount()];
        int latest = -1;
        int latestRecomputation = -1;
        for (int t = 0; t < sequence.length(); t++) {
            if (!sequence.runs(t)) {
                continue;
            }
            int node = sequence.node(t);
            boolean first = computations[node]++ == 0 && problem.role(node) != Role.UPDATE;
            boolean again = computations[node] > 1;
            boolean outOfOrder = first && givenOrder && node < latest
                    || again && orderedRecomputations && node <= latestRecomputation;
            if (computations[node] > mostComputations || outOfOrder) {
                return false;
            }
            latest = first ? node : latest;
            latestRecomputation = again ? node : -1;
        }
        return true;
    }
}
