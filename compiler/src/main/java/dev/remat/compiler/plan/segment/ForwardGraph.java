package dev.remat.compiler.plan.segment;

import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;

/**
 * The forward nodes as a line of positions that can be cut: what the backward needs of each, and what crosses each cut.
 * Leaves aside residents and everything that is retained anyway, which cost nothing to keep wherever one cuts.
 */
public final class ForwardGraph {
    private static final int ABSENT = -1;

    private final RematProblem problem;
    private final Retention free;
    private final int[] nodes;
    private final int[] position;
    private final int[] lastRead;
    private final long[] savedBefore;
    private final long[] crossing;

    private ForwardGraph(RematProblem problem, Retention free, int[] nodes) {
        this.problem = problem;
        this.free = free;
        this.nodes = nodes;
        position = new int[problem.nodeCount()];
        Arrays.fill(position, ABSENT);
        for (int p = 0; p < nodes.length; p++) {
            position[nodes[p]] = p;
        }
        lastRead = lastReads();
        savedBefore = new long[nodes.length + 1];
        crossing = new long[nodes.length + 2];
        measure();
    }

    /** All forward nodes ahead of the first backward node; {@code free} is what every plan retains. */
    public static ForwardGraph of(RematProblem problem, Retention free) {
        IntList nodes = new IntList();
        int end = Retention.firstBackward(problem);
        for (int n = 0; n < end; n++) {
            if (problem.role(n) == Role.FORWARD && !problem.residentNode(n)) {
                nodes.add(n);
            }
        }
        return new ForwardGraph(problem, free, nodes.toArray());
    }

    public RematProblem problem() {
        return problem;
    }

    /** Number of positions. */
    public int size() {
        return nodes.length;
    }

    public int node(int position) {
        return nodes[position];
    }

    /** Whether the value counts: made here, not resident and not retained anyway. */
    public boolean counts(int value) {
        return position[problem.producer(value)] != ABSENT && !problem.resident(value) && !free.retained(value);
    }

    /** Position of a node, or -1 where it has none. */
    public int position(int node) {
        return position[node];
    }

    /** Last position at which a forward node reads the value, or -1. */
    public int lastRead(int value) {
        return lastRead[value];
    }

    /** Bytes of values that the backward reads and that the first {@code positions} nodes make. */
    public long savedBefore(int positions) {
        return savedBefore[positions];
    }

    /** Bytes that cross the cut before a position; more than everything together where a pin forbids the cut. */
    public long crossingBytes(int cut) {
        return crossing[cut];
    }

    /** Whether a value crosses one of the cuts, given the number of cuts before or at each position. */
    public boolean crosses(int value, int[] cutsUpTo) {
        int made = position[problem.producer(value)];
        return lastRead[value] > made && cutsUpTo[lastRead[value]] > cutsUpTo[made];
    }

    /** Last position at which each value, and so its storage, is read by the forward. */
    private int[] lastReads() {
        int[] last = new int[problem.valueCount()];
        Arrays.fill(last, ABSENT);
        for (int v = 0; v < last.length; v++) {
            if (position[problem.producer(v)] == ABSENT) {
                continue;
            }
            for (int k = 0; k < problem.readerCount(v); k++) {
                int reader = problem.reader(v, k);
                boolean forward = problem.role(reader) == Role.FORWARD;
                int at = position[reader] != ABSENT ? position[reader] : forward ? nodes.length - 1 : ABSENT;
                last[v] = Math.max(last[v], at);
            }
        }
        return last;
    }

    private void measure() {
        int values = problem.valueCount();
        boolean[] saved = new boolean[values];
        int[] storageLast = new int[values];
        boolean[] forbidden = new boolean[values];
        Arrays.fill(storageLast, ABSENT);
        for (int v = 0; v < values; v++) {
            if (counts(v)) {
                int storage = problem.storage(v);
                storageLast[storage] = Math.max(storageLast[storage], lastRead[v]);
                saved[storage] |= readByBackward(v);
                forbidden[storage] |= problem.pin(problem.producer(v)) == Pin.RECOMPUTE;
            }
        }
        long all = 1;
        for (int p = 0; p < nodes.length; p++) {
            savedBefore[p + 1] = savedBefore[p];
            for (int v = problem.firstResult(nodes[p]); v < problem.endResult(nodes[p]); v++) {
                savedBefore[p + 1] += saved[v] ? problem.bytes(v) : 0;
                all += problem.bytes(v);
            }
        }
        for (int v = 0; v < values; v++) {
            int made = position[problem.producer(v)];
            if (counts(v) && problem.storage(v) == v && storageLast[v] > made) {
                long bytes = forbidden[v] ? all : problem.bytes(v);
                crossing[made + 1] += bytes;
                crossing[storageLast[v] + 1] -= bytes;
            }
        }
        for (int cut = 1; cut < crossing.length; cut++) {
            crossing[cut] += crossing[cut - 1];
        }
    }

    private boolean readByBackward(int value) {
        for (int k = 0; k < problem.readerCount(value); k++) {
            if (problem.role(problem.reader(value, k)) == Role.BACKWARD) {
                return true;
            }
        }
        return false;
    }
}
