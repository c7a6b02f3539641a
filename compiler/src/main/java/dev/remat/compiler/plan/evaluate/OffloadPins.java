package dev.remat.compiler.plan.evaluate;

import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;

/**
 * Which storages have to leave the device because a {@linkplain Pin#OFFLOAD pin} says so, and between which nodes of
 * the given order: from the last forward node that reads one to the first other one. Where these follow one another,
 * nothing runs that could use the memory, and the storage stays.
 */
public final class OffloadPins {
    private static final int NONE = -1;

    /** Per storage that must leave: the nodes around that gap. */
    private final int[] from;

    private final int[] to;

    private OffloadPins(RematProblem problem) {
        from = new int[problem.valueCount()];
        to = new int[problem.valueCount()];
        Arrays.fill(to, NONE);
        StorageReads reads = null;
        for (int v = 0; v < to.length; v++) {
            if (problem.pin(problem.producer(v)) != Pin.OFFLOAD || problem.storage(v) != v || problem.output(v)) {
                continue;
            }
            reads = reads == null ? StorageReads.of(problem) : reads;
            int at = problem.producer(v);
            int next = reads.next(v, at);
            while (next < problem.nodeCount() && problem.role(next) == Role.FORWARD) {
                at = next;
                next = reads.next(v, at);
            }
            if (next < problem.nodeCount() && next > at + 1 && problem.bytes(v) > 0) {
                from[v] = at;
                to[v] = next;
            }
        }
    }

    /** Of a problem with tiers, or what it would be with some. */
    public static OffloadPins of(RematProblem problem) {
        return new OffloadPins(problem);
    }

    /** Whether none has to leave. */
    public boolean isEmpty() {
        return Arrays.stream(to).allMatch(node -> node == NONE);
    }

    /** Whether a value has to leave, and come back. */
    public boolean leaves(int value) {
        return to[value] != NONE;
    }

    /** Whether it has to leave between these nodes. */
    public boolean leaves(int value, int after, int before) {
        return leaves(value) && from[value] == after && to[value] == before;
    }
}
