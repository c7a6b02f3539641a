package dev.remat.compiler.plan.build;

import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.compiler.plan.evaluate.Overwrites;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;

/**
 * Moves nodes that change a resident after the last step that needs its old content, and what depends on them along,
 * each no further than it must. So no recomputation reads a parameter after its update.
 *
 * <p>Requires a sequence in which recomputations depend on no node that waits; {@link Retention} sees to that.
 */
public final class DelayWrites {
    private static final int NONE = -1;

    private final RematProblem problem;
    private final Overwrites overwrites;
    private final IntList out = new IntList();
    private final boolean[] emitted;
    /** Per node: steps still to come that read what it overwrites. */
    private final int[] pendingReads;
    /** Per node: the first of those waiting for it. */
    private final int[] firstWaiting;
    /** Per waiting node: the next that waits for the same node. */
    private final int[] nextWaiting;

    private final IntList ready = new IntList();

    private DelayWrites(RematProblem problem) {
        this.problem = problem;
        overwrites = Overwrites.of(problem);
        int nodes = problem.nodeCount();
        emitted = new boolean[nodes];
        pendingReads = new int[nodes];
        firstWaiting = new int[nodes];
        nextWaiting = new int[nodes];
        Arrays.fill(firstWaiting, NONE);
        for (int n = 0; n < nodes; n++) {
            emitted[n] = problem.residentNode(n);
        }
    }

    public static int[] of(RematProblem problem, int[] steps) {
        DelayWrites delay = new DelayWrites(problem);
        for (int node : steps) {
            delay.countReads(node, 1);
        }
        boolean[] seen = new boolean[problem.nodeCount()];
        for (int node : steps) {
            if (seen[node]) {
                delay.emit(node);
            } else {
                seen[node] = true;
                delay.ready.add(node);
            }
            delay.drain();
        }
        if (delay.out.size() != steps.length) {
            throw new IllegalStateException("steps wait for each other in '" + problem.name() + "'");
        }
        return delay.out.toArray();
    }

    private void drain() {
        for (int i = 0; i < ready.size(); i++) {
            int node = ready.get(i);
            int blocker = blocker(node);
            if (blocker == NONE) {
                emit(node);
            } else {
                nextWaiting[node] = firstWaiting[blocker];
                firstWaiting[blocker] = node;
            }
        }
        ready.clear();
    }

    /** A node that must come first; the node itself if reads of what it overwrites are to come. */
    private int blocker(int node) {
        if (pendingReads[node] > 0) {
            return node;
        }
        for (int k = 0; k < problem.inputCount(node); k++) {
            int producer = problem.producer(problem.input(node, k));
            if (!emitted[producer]) {
                return producer;
            }
        }
        for (int k = 0; k < problem.writes(node).size(); k++) {
            int previous = overwrites.previousWriter(node, k);
            if (previous != NONE && !emitted[previous]) {
                return previous;
            }
        }
        return NONE;
    }

    private void emit(int node) {
        out.add(node);
        countReads(node, -1);
        if (!emitted[node]) {
            emitted[node] = true;
            wake(node);
        }
    }

    private void wake(int blocker) {
        int waiting = firstWaiting[blocker];
        firstWaiting[blocker] = NONE;
        while (waiting != NONE) {
            ready.add(waiting);
            waiting = nextWaiting[waiting];
        }
    }

    private void countReads(int node, int change) {
        for (int k = 0; k < problem.inputCount(node); k++) {
            int writer = overwrites.overwriter(problem.input(node, k));
            if (writer != NONE && writer != node) {
                pendingReads[writer] += change;
                if (pendingReads[writer] == 0 && change < 0) {
                    wake(writer);
                }
            }
        }
    }
}
