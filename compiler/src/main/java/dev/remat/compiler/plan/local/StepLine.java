package dev.remat.compiler.plan.local;

import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;

/**
 * An operator sequence on a line with empty slots between its steps, so that steps come and go without renumbering the
 * others: which node stands at a slot, and at which slots each node runs.
 */
final class StepLine {
    /** No slot. */
    static final int NONE = -1;
    /** After every slot. */
    static final int END = Integer.MAX_VALUE;

    private static final int EMPTY = -1;

    private final int[] nodeAt;
    private final int[][] runs;
    private final int[] count;
    private int steps;

    /** Puts each step after {@code spacing - 1} empty slots. */
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

    /** Number of slots. */
    int slots() {
        return nodeAt.length;
    }

    /** Number of steps. */
    int steps() {
        return steps;
    }

    boolean empty(int slot) {
        return nodeAt[slot] == EMPTY;
    }

    /** The node of the step at a slot that is not empty. */
    int node(int slot) {
        return nodeAt[slot];
    }

    /** How often the node runs. */
    int runs(int node) {
        return count[node];
    }

    /** The slot of the {@code k}-th run of the node. */
    int run(int node, int k) {
        return runs[node][k];
    }

    /** Slot of the first run, or {@link #END}. */
    int first(int node) {
        return count[node] == 0 ? END : runs[node][0];
    }

    /** Slot of the last run, or {@link #NONE}. */
    int last(int node) {
        return count[node] == 0 ? NONE : runs[node][count[node] - 1];
    }

    /** Slot of the last run of the node before {@code slot}, or {@link #NONE}. */
    int before(int node, int slot) {
        int k = firstAtOrAfter(node, slot);
        return k == 0 ? NONE : runs[node][k - 1];
    }

    /** Slot of the first run of the node after {@code slot}, or {@link #END}. */
    int after(int node, int slot) {
        int k = firstAtOrAfter(node, slot + 1);
        return k == count[node] ? END : runs[node][k];
    }

    /** The next slot before {@code slot} that is not empty, or {@link #NONE}. */
    int stepBefore(int slot) {
        int at = slot - 1;
        while (at >= 0 && nodeAt[at] == EMPTY) {
            at--;
        }
        return at;
    }

    /** The next slot after {@code slot} that is not empty, or {@link #END}. */
    int stepAfter(int slot) {
        int at = slot + 1;
        while (at < nodeAt.length && nodeAt[at] == EMPTY) {
            at++;
        }
        return at < nodeAt.length ? at : END;
    }

    void add(int node, int slot) {
        int k = firstAtOrAfter(node, slot);
        if (count[node] == runs[node].length) {
            runs[node] = Arrays.copyOf(runs[node], 2 * count[node]);
        }
        System.arraycopy(runs[node], k, runs[node], k + 1, count[node] - k);
        runs[node][k] = slot;
        count[node]++;
        steps++;
        nodeAt[slot] = node;
    }

    void remove(int slot) {
        int node = nodeAt[slot];
        int k = firstAtOrAfter(node, slot);
        System.arraycopy(runs[node], k + 1, runs[node], k, count[node] - k - 1);
        count[node]--;
        steps--;
        nodeAt[slot] = EMPTY;
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

    private int firstAtOrAfter(int node, int slot) {
        int[] of = runs[node];
        int low = 0;
        int high = count[node];
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (of[middle] < slot) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
