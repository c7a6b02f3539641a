package dev.remat.compiler.plan.order;

import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.compiler.plan.evaluate.Overwrites;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * What each node must wait for in any order: the producers of what it reads, and for a node that changes a resident
 * also all readers of the old content and whoever changed it before; for one in turn the one before it.
 */
final class OrderRules {
    private final RematProblem problem;
    private final Overwrites overwrites;
    private final IntList[] destroyed;
    /** Per node: those that it must wait for, and those that must wait for it, each once. */
    private final int[][] needed;

    private final int[][] waiting;

    OrderRules(RematProblem problem) {
        this.problem = problem;
        overwrites = Overwrites.of(problem);
        destroyed = new IntList[problem.nodeCount()];
        for (int v = 0; v < problem.valueCount(); v++) {
            int writer = overwrites.overwriter(v);
            if (writer != Overwrites.NONE) {
                destroyed[writer] = destroyed[writer] == null ? new IntList() : destroyed[writer];
                destroyed[writer].add(v);
            }
        }
        needed = new int[problem.nodeCount()][];
        int[] waiters = new int[needed.length];
        for (int n = 0; n < needed.length; n++) {
            IntStream.Builder all = IntStream.builder();
            forEachNeeded(n, all::add);
            needed[n] = all.build().distinct().toArray();
            for (int other : needed[n]) {
                waiters[other]++;
            }
        }
        waiting = new int[needed.length][];
        Arrays.setAll(waiting, n -> new int[waiters[n]]);
        for (int n = 0; n < needed.length; n++) {
            for (int other : needed[n]) {
                waiting[other][--waiters[other]] = n;
            }
        }
    }

    /** The nodes that {@code node} must wait for, each once. */
    int[] needed(int node) {
        return needed[node];
    }

    /** The nodes that must wait for {@code node}, each once, the last ones in the given order first. */
    int[] waiting(int node) {
        return waiting[node];
    }

    /** Tells every node that {@code node} must wait for, some of them several times. */
    void forEachNeeded(int node, IntConsumer needed) {
        for (int k = 0; k < problem.inputCount(node); k++) {
            needed.accept(problem.producer(problem.input(node, k)));
        }
        if (problem.turnBefore(node) != RematProblem.NO_TURN) {
            needed.accept(problem.turnBefore(node));
        }
        for (int k = 0; k < problem.writes(node).size(); k++) {
            int previous = overwrites.previousWriter(node, k);
            if (previous != Overwrites.NONE) {
                needed.accept(previous);
            }
        }
        for (int i = 0; destroyed[node] != null && i < destroyed[node].size(); i++) {
            int v = destroyed[node].get(i);
            for (int k = 0; k < problem.readerCount(v); k++) {
                if (problem.reader(v, k) != node) {
                    needed.accept(problem.reader(v, k));
                }
            }
        }
    }

    /**
     * Bytes that computing the node adds to what is in memory after it, given how many reads of each storage are left.
     */
    long addedBytes(int node, int[] readsLeft) {
        long added = 0;
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            boolean stays = problem.output(v) || readsLeft[problem.storage(v)] > 0;
            boolean owns = problem.viewOf(v) == ProblemValue.NONE && !problem.resident(v);
            added += owns && stays ? problem.bytes(v) : 0;
        }
        for (int k = 0; k < problem.inputCount(node); k++) {
            int storage = problem.storage(problem.input(node, k));
            boolean freed = !problem.resident(storage) && readsLeft[storage] == 1 && !problem.output(storage);
            added -= freed ? problem.bytes(storage) : 0;
        }
        return added;
    }
}
