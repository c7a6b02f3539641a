package dev.remat.compiler.plan.exact;

import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.compiler.plan.evaluate.Overwrites;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;

/**
 * All that happens or may happen in a sequence of which some nodes are free: the steps of the others in their order,
 * the first computations of all, and before a first computation a slot for every free node that may be recomputed
 * there. The slots of a stage, that is between two first computations, stand in the order of the first computations.
 */
final class EventLine {
    static final int NONE = -1;

    private final RematProblem problem;
    private final OperatorSequence sequence;
    private final boolean[] free;
    /** Per node: its place among the first computations. */
    private final int[] rank;
    /** Per node: the last stage in which a recomputation of it can serve anything that it may serve. */
    private final int[] lastStage;

    private final int[] nodesByRank;
    private final IntList nodes = new IntList();
    /** Per event: the step of the sequence that it stands for; for a slot {@link #NONE}. */
    private final IntList steps = new IntList();

    private final int[] eventOfStep;
    private final int stages;

    /**
     * @param free nodes whose recomputations may be moved, added and dropped
     * @param freeStages per stage whether free nodes may be recomputed in it; one more than there are first
     * computations
     */
    EventLine(RematProblem problem, OperatorSequence sequence, boolean[] free, boolean[] freeStages) {
        this.problem = problem;
        this.sequence = sequence;
        this.free = free;
        rank = new int[problem.nodeCount()];
        Arrays.fill(rank, NONE);
        int count = 0;
        int[] byRank = new int[problem.nodeCount()];
        for (int t = 0; t < sequence.length(); t++) {
            int node = sequence.node(t);
            if (rank[node] == NONE) {
                byRank[count] = node;
                rank[node] = count++;
            }
        }
        stages = count;
        nodesByRank = Arrays.copyOf(byRank, count);
        lastStage = lastStages();
        eventOfStep = new int[sequence.length()];
        Arrays.fill(eventOfStep, NONE);
        layOut(freeStages);
    }

    int size() {
        return nodes.size();
    }

    int node(int event) {
        return nodes.get(event);
    }

    boolean slot(int event) {
        return steps.get(event) == NONE;
    }

    /**
     * The event that stands for a step; {@link #NONE} for a recomputation of a free node that has no slot where it
     * stands.
     */
    int event(int step) {
        return eventOfStep[step];
    }

    /** The sequence that runs the events marked. */
    OperatorSequence run(String strategy, boolean[] marked) {
        IntList run = new IntList();
        for (int e = 0; e < marked.length; e++) {
            if (marked[e]) {
                run.add(nodes.get(e));
            }
        }
        return new OperatorSequence(strategy, run.toArray(), sequence.retained());
    }

    private void layOut(boolean[] freeStages) {
        IntList candidates = new IntList();
        int[] slotOf = new int[problem.nodeCount()];
        int[] stageOf = new int[problem.nodeCount()];
        Arrays.fill(stageOf, NONE);
        boolean[] seen = new boolean[problem.nodeCount()];
        IntList moved = new IntList();
        int next = 0;
        int stage = 0;
        for (int t = 0; t <= sequence.length(); t++) {
            int node = t < sequence.length() ? sequence.node(t) : NONE;
            boolean first = node != NONE && !seen[node];
            if (node != NONE && !first && free[node]) {
                moved.add(t);
                continue;
            }
            int below = first || node == NONE ? stage : rank[node];
            while (freeStages[stage] && next < candidates.size() && rank[candidates.get(next)] < below) {
                int candidate = candidates.get(next++);
                if (stage <= lastStage[candidate]) {
                    slotOf[candidate] = add(candidate, NONE);
                    stageOf[candidate] = stage;
                }
            }
            if (first || node == NONE) {
                for (int i = 0; i < moved.size(); i++) {
                    int mover = sequence.node(moved.get(i));
                    eventOfStep[moved.get(i)] = stageOf[mover] == stage ? slotOf[mover] : NONE;
                }
                moved.clear();
            }
            if (node == NONE) {
                break;
            }
            eventOfStep[t] = add(node, t);
            if (first) {
                seen[node] = true;
                if (free[node] && mayRecompute(problem, node)) {
                    candidates.add(node);
                }
                stage++;
                next = 0;
            }
        }
    }

    private int add(int node, int step) {
        nodes.add(node);
        steps.add(step);
        return nodes.size() - 1;
    }

    /** Whether the node may run again at all, and whether that may serve anything. */
    static boolean mayRecompute(RematProblem problem, int node) {
        boolean shows = problem.pin(node) == Pin.RECOMPUTE;
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            shows |= !problem.resident(v);
        }
        return shows && !problem.once(node) && !problem.pin(node).isKept();
    }

    /**
     * What a recomputation serves comes later: first computations, recomputations of fixed nodes, and recomputations
     * that may be added.
     */
    private int[] lastStages() {
        int[] last = new int[problem.nodeCount()];
        int stage = 0;
        boolean[] seen = new boolean[problem.nodeCount()];
        int[] lastRun = new int[problem.nodeCount()];
        for (int t = 0; t < sequence.length(); t++) {
            int node = sequence.node(t);
            lastRun[node] = stage;
            if (!seen[node]) {
                seen[node] = true;
                stage++;
            }
        }
        Overwrites overwrites = Overwrites.of(problem);
        for (int r = stages - 1; r >= 0; r--) {
            int node = nodesByRank[r];
            int latest = NONE;
            for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
                latest = problem.output(v) ? stages : latest;
                for (int k = 0; k < problem.readerCount(v); k++) {
                    int reader = problem.reader(v, k);
                    latest = Math.max(latest, Math.max(lastRun[reader], free[reader] ? last[reader] : NONE));
                }
            }
            for (int k = 0; k < problem.inputCount(node); k++) {
                int writer = overwrites.overwriter(problem.input(node, k));
                latest = writer == Overwrites.NONE ? latest : Math.min(latest, rank[writer]);
            }
            last[node] = latest;
        }
        return last;
    }
}
