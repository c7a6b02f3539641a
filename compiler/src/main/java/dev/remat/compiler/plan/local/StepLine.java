package dev.remat.compiler.plan.local;

import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;

/**
 * An operator sequence on a line with empty places between its steps, so that steps come and go without renumbering the
 * others: which node stands at a place, and at which places each node runs.
 */
final class StepLine {
    /** No place. */
    static final int NONE = -1;
    /** Behind every place. */
    static final int END = Integer.MAX_VALUE;

    private static final int EMPTY = -1;

    private final int[] nodeAt;
    private final int[][] runs;
    private final int[] count;
    private int steps;

    /** Places each step behind {@code spacing - 1} empty places. */
    StepLine(RematProblem problem, int[] sequence, int spacing) {
        nodeAt = new int[spacing * (sequence.length + 1)];
        Arrays.fill(nodeAt, EMPTY);
        runs = new int[problem.nodeCount()][];
        count = new int[problem.nodeCount()];
        for (int node : sequence) {
            count[node]++;
        }
        for (int n = 0; n < runs.length; n++) {
            runs[n] = new int[Math.max(1, count[n])];
            count[n] = 0;
        }
        for (int t = 0; t < sequence.length; t++) {
            add(sequence[t], spacing * (t + 1) - 1);
        }
    }

    /** Number of places. */
    int places() {
        return nodeAt.length;
    }

    /** Number of steps. */
    int steps() {
        return steps;
    }

    boolean empty(int place) {
        return nodeAt[place] == EMPTY;
    }

    /** The node of the step at a place that is not empty. */
    int node(int place) {
        return nodeAt[place];
    }

    /** How often the node runs. */
    int runs(int node) {
        return count[node];
    }

    /** The place of the {@code k}-th run of the node. */
    int run(int node, int k) {
        return runs[node][k];
    }

    /** Place of the first run, or {@link #END}. */
    int first(int node) {
        return count[node] == 0 ? END : runs[node][0];
    }

    /** Place of the last run, or {@link #NONE}. */
    int last(int node) {
        return count[node] == 0 ? NONE : runs[node][count[node] - 1];
    }

    /** Place of the last run of the node in front of {@code place}, or {@link #NONE}. */
    int before(int node, int place) {
        int k = firstAtOrBehind(node, place);
        return k == 0 ? NONE : runs[node][k - 1];
    }

    /** Place of the first run of the node behind {@code place}, or {@link #END}. */
    int after(int node, int place) {
        int k = firstAtOrBehind(node, place + 1);
        return k == count[node] ? END : runs[node][k];
    }

    /** The next place in front of {@code place} that is not empty, or {@link #NONE}. */
    int stepBefore(int place) {
        int at = place - 1;
        while (at >= 0 && nodeAt[at] == EMPTY) {
            at--;
        }
        return at;
    }

    /** The next place behind {@code place} that is not empty, or {@link #END}. */
    int stepAfter(int place) {
        int at = place + 1;
        while (at < nodeAt.length && nodeAt[at] == EMPTY) {
            at++;
        }
        return at < nodeAt.length ? at : END;
    }

    void add(int node, int place) {
        int k = firstAtOrBehind(node, place);
        if (count[node] == runs[node].length) {
            runs[node] = Arrays.copyOf(runs[node], 2 * count[node]);
        }
        System.arraycopy(runs[node], k, runs[node], k + 1, count[node] - k);
        runs[node][k] = place;
        count[node]++;
        steps++;
        nodeAt[place] = node;
    }

    void remove(int place) {
        int node = nodeAt[place];
        int k = firstAtOrBehind(node, place);
        System.arraycopy(runs[node], k + 1, runs[node], k, count[node] - k - 1);
        count[node]--;
        steps--;
        nodeAt[place] = EMPTY;
    }

    /** The nodes of all steps in order. */
    int[] toSteps() {
        int[] list = new int[steps];
        int size = 0;
        for (int node : nodeAt) {
            if (node != EMPTY) {
                list[size++] = node;
            }
        }
        return list;
    }

    private int firstAtOrBehind(int node, int place) {
        int[] of = runs[node];
        int low = 0;
        int high = count[node];
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (of[middle] < place) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
