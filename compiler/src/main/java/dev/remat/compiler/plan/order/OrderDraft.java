package dev.remat.compiler.plan.order;

import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;

/**
 * An order in which every node runs once, being changed node by node: the bytes in memory at each position, and by how
 * much they exceed a target, summed over all positions. Moving a node takes time in proportion to the positions that
 * it passes and to the readers of what it reads.
 *
 * <p>Only nodes that are computed have a position; what is resident is there from the start. What pins ask to be
 * recomputed is not: a node runs where it stands and nowhere else.
 */
final class OrderDraft {
    private static final int NOBODY = -1;

    private final RematProblem problem;
    private final OrderRules rules;
    private final int firstBackward;
    /** Number of computed nodes in front of the first backward one. */
    private final int forward;

    private final int[] order;
    private final int[] position;
    /** Per position. */
    private long[] live;
    /** Per position that a move has passed, until it is kept. */
    private long[] moved;
    /** Per node: bytes that its results take, results in place included, and that its reads are the last of. */
    private final long[] made;

    private final long[] freed;
    /** Per node: the storages that it reads. */
    private final int[][] reads;
    /** Per storage: who reads it. */
    private final int[][] readers;
    /** Per storage: the node after which nothing reads it, itself where nothing does; nobody if it stays to the end. */
    private final int[] freedBy;
    /** Per storage that the node in motion reads: who freed it before. */
    private final int[] freedByBefore;
    /** Whether results of the node may lie where its inputs lay. */
    private final boolean[] mayRunInPlace;

    private final long target;
    private long excess;
    private int from;
    private int to;
    private long change;

    /** Starts from a valid order of all nodes in which no forward node follows a backward one. */
    OrderDraft(RematProblem problem, OrderRules rules, int[] start, long target) {
        this.problem = problem;
        this.rules = rules;
        this.target = target;
        int nodes = problem.nodeCount();
        firstBackward = Retention.firstBackward(problem);
        order = Arrays.stream(start).filter(n -> !problem.residentNode(n)).toArray();
        forward = (int) Arrays.stream(order).filter(n -> n < firstBackward).count();
        position = new int[nodes];
        Arrays.fill(position, NOBODY);
        for (int p = 0; p < order.length; p++) {
            position[order[p]] = p;
        }
        live = new long[order.length];
        moved = new long[order.length];
        made = new long[nodes];
        freed = new long[nodes];
        mayRunInPlace = new boolean[nodes];
        reads = new int[nodes][];
        freedBy = new int[problem.valueCount()];
        readers = new int[problem.valueCount()][];
        collectReads();
        int most = 0;
        for (int n = 0; n < nodes; n++) {
            most = Math.max(most, reads[n].length);
            for (int v = problem.firstResult(n); v < problem.endResult(n); v++) {
                boolean owns = owns(v);
                made[n] += owns ? problem.bytes(v) : 0;
                mayRunInPlace[n] |= owns && problem.inPlaceOf(v) != ProblemValue.NONE;
                if (owns && freedBy[v] != NOBODY) {
                    freedBy[v] = lastReader(v);
                    freed[freedBy[v]] += problem.bytes(v);
                }
            }
        }
        freedByBefore = new int[most];
        sweep(0, order.length - 1);
        long[] swept = moved;
        moved = live;
        live = swept;
        excess = excess(live, 0, order.length - 1);
    }

    /** All nodes in order, residents in front of those that are computed, of the forward or the backward each. */
    int[] order() {
        int[] all = new int[position.length];
        int size = residents(0, firstBackward, all, 0);
        System.arraycopy(order, 0, all, size, forward);
        size = residents(firstBackward, position.length, all, size + forward);
        System.arraycopy(order, forward, all, size, order.length - forward);
        return all;
    }

    private int residents(int first, int end, int[] all, int size) {
        int next = size;
        for (int n = first; n < end; n++) {
            if (problem.residentNode(n)) {
                all[next++] = n;
            }
        }
        return next;
    }

    /** Sum over all positions of what is in memory there beyond the target. */
    long excess() {
        return excess;
    }

    long peakBytes() {
        long most = problem.residentBytes();
        for (long bytes : live) {
            most = Math.max(most, bytes);
        }
        return most;
    }

    int position(int node) {
        return position[node];
    }

    /** The first position that the node may take while all others keep their order. */
    int low(int node) {
        int low = node < firstBackward ? 0 : forward;
        for (int other : rules.needed(node)) {
            low = Math.max(low, position[other] + 1);
        }
        return low;
    }

    /** The last such position. */
    int high(int node) {
        int high = (node < firstBackward ? forward : order.length) - 1;
        for (int other : rules.waiting(node)) {
            high = Math.min(high, position[other] - 1);
        }
        return high;
    }

    /**
     * Moves a node to a position between {@link #low} and {@link #high}; others close up. To be followed by {@link
     * #keep} or {@link #takeBack}.
     *
     * @return by how much the excess grows
     */
    long move(int node, int newPosition) {
        from = position[node];
        to = newPosition;
        shift(node, from, to);
        for (int k = 0; k < reads[node].length; k++) {
            int storage = reads[node][k];
            freedByBefore[k] = freedBy[storage];
            if (freedBy[storage] != NOBODY) {
                free(storage, lastReader(storage));
            }
        }
        int first = Math.min(from, to);
        int last = Math.max(from, to);
        sweep(first, last);
        change = excess(moved, first, last) - excess(live, first, last);
        return change;
    }

    /** Makes the move final. */
    void keep() {
        int first = Math.min(from, to);
        System.arraycopy(moved, first, live, first, Math.abs(from - to) + 1);
        excess += change;
    }

    /** Undoes the move. */
    void takeBack() {
        int node = order[to];
        for (int k = 0; k < reads[node].length; k++) {
            if (freedByBefore[k] != NOBODY) {
                free(reads[node][k], freedByBefore[k]);
            }
        }
        shift(node, to, from);
    }

    private void free(int storage, int by) {
        int before = freedBy[storage];
        if (by != before) {
            freed[before] -= problem.bytes(storage);
            freed[by] += problem.bytes(storage);
            freedBy[storage] = by;
        }
    }

    private void shift(int node, int start, int end) {
        int step = start < end ? 1 : -1;
        for (int p = start; p != end; p += step) {
            order[p] = order[p + step];
            position[order[p]] = p;
        }
        order[end] = node;
        position[node] = end;
    }

    private int lastReader(int storage) {
        int last = problem.producer(storage);
        for (int reader : readers[storage]) {
            last = position[reader] > position[last] ? reader : last;
        }
        return last;
    }

    /** Finds the bytes at some positions anew. */
    private void sweep(int first, int last) {
        long held = problem.residentBytes();
        if (first > 0) {
            int before = order[first - 1];
            held = live[first - 1] - problem.workspaceBytes(before) + inPlace(before) - freed[before];
        }
        for (int p = first; p <= last; p++) {
            int node = order[p];
            held += made[node];
            moved[p] = held + problem.workspaceBytes(node) - inPlace(node);
            held -= freed[node];
        }
    }

    /** Bytes of results that lie where inputs lay, which are not in memory beside them. */
    private long inPlace(int node) {
        long bytes = 0;
        for (int v = problem.firstResult(node); mayRunInPlace[node] && v < problem.endResult(node); v++) {
            bytes += runsInPlace(node, v) ? problem.bytes(v) : 0;
        }
        return bytes;
    }

    private boolean runsInPlace(int node, int value) {
        int replaced = replaced(value);
        if (replaced == NOBODY || freedBy[replaced] != node) {
            return false;
        }
        for (int rival = problem.firstResult(node); rival < value; rival++) {
            if (replaced(rival) == replaced) {
                return false;
            }
        }
        return true;
    }

    /** The storage that a result would reuse, sizes permitting. */
    private int replaced(int value) {
        if (problem.inPlaceOf(value) == ProblemValue.NONE || !owns(value)) {
            return NOBODY;
        }
        int storage = problem.storage(problem.inPlaceOf(value));
        return !problem.resident(storage) && problem.bytes(storage) == problem.bytes(value) ? storage : NOBODY;
    }

    private boolean owns(int value) {
        return problem.viewOf(value) == ProblemValue.NONE && !problem.resident(value);
    }

    private long excess(long[] bytes, int first, int last) {
        long sum = 0;
        for (int p = first; p <= last; p++) {
            sum += Math.max(0, bytes[p] - target);
        }
        return sum;
    }

    private void collectReads() {
        IntList[] readersOf = new IntList[problem.valueCount()];
        for (int n = 0; n < problem.nodeCount(); n++) {
            IntList read = new IntList();
            for (int k = 0; k < problem.inputCount(n); k++) {
                int storage = problem.storage(problem.input(n, k));
                IntList of = readersOf[storage] == null ? new IntList() : readersOf[storage];
                boolean again = of.size() > 0 && of.get(of.size() - 1) == n;
                if (!problem.resident(storage) && !again) {
                    readersOf[storage] = of;
                    of.add(n);
                    read.add(storage);
                }
            }
            reads[n] = read.toArray();
        }
        Arrays.setAll(readers, s -> readersOf[s] == null ? new int[0] : readersOf[s].toArray());
        for (int output : problem.outputs()) {
            freedBy[problem.storage(output)] = NOBODY;
        }
    }
}
