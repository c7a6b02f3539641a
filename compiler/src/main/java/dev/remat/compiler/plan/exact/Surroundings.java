package dev.remat.compiler.plan.exact;

import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.compiler.plan.evaluate.StorageTimeline;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;

/**
 * What free nodes of a sequence can change, and what they cannot. The storage of a node can change its lifetime if
 * something free makes or reads it, or something that it lies in or reuses. All else is constant: the bytes that it
 * takes at each time. Events at which nothing happens that can change share one time.
 */
final class Surroundings {
    private final RematProblem problem;
    private final OperatorSequence sequence;
    private final EventLine line;
    private final boolean[] changing;
    private final int[] time;
    private final int[] eventAt;
    private final long[] constantBytes;

    Surroundings(RematProblem problem, OperatorSequence sequence, EventLine line, boolean[] free) {
        this.problem = problem;
        this.sequence = sequence;
        this.line = line;
        changing = changing(problem, free);
        time = new int[line.size()];
        IntList times = new IntList();
        boolean shared = false;
        for (int e = 0; e < time.length; e++) {
            boolean own = changes(line.node(e));
            if (own || !shared) {
                times.add(e);
            }
            time[e] = times.size() - 1;
            shared = !own;
        }
        eventAt = times.toArray();
        constantBytes = new long[eventAt.length];
        addConstants();
    }

    /** Whether lifetimes of what the node makes, or whether and when it runs, can change. */
    boolean changing(int node) {
        return changing[node];
    }

    /** Number of times. */
    int times() {
        return eventAt.length;
    }

    int time(int event) {
        return time[event];
    }

    /** The event at a time that it shares with no other. */
    int eventAt(int at) {
        return eventAt[at];
    }

    /** Bytes at a time of residents and of all that cannot change. */
    long constantBytes(int at) {
        return constantBytes[at];
    }

    /** Whether the node changes or reads what does. */
    private boolean changes(int node) {
        boolean found = changing[node];
        for (int k = 0; !found && k < problem.inputCount(node); k++) {
            found = changing[problem.producer(problem.input(node, k))];
        }
        return found;
    }

    private static boolean[] changing(RematProblem problem, boolean[] free) {
        boolean[] changing = new boolean[problem.nodeCount()];
        IntList found = new IntList();
        for (int n = 0; n < changing.length; n++) {
            if (free[n]) {
                mark(problem, n, changing, found);
                for (int k = 0; k < problem.inputCount(n); k++) {
                    mark(problem, problem.producer(problem.input(n, k)), changing, found);
                }
            }
        }
        for (int i = 0; i < found.size(); i++) {
            int node = found.get(i);
            for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
                mark(problem, linked(problem, v), changing, found);
                for (int k = 0; k < problem.readerCount(v); k++) {
                    int reader = problem.reader(v, k);
                    for (int w = problem.firstResult(reader); w < problem.endResult(reader); w++) {
                        if (problem.viewOf(w) == v || problem.inPlaceOf(w) == v) {
                            mark(problem, reader, changing, found);
                        }
                    }
                }
            }
        }
        return changing;
    }

    /** The node whose storage the value shares or may reuse; its own if there is none. */
    private static int linked(RematProblem problem, int value) {
        int other = problem.viewOf(value) == ProblemValue.NONE ? problem.inPlaceOf(value) : problem.viewOf(value);
        return problem.producer(other == ProblemValue.NONE ? value : other);
    }

    private static void mark(RematProblem problem, int node, boolean[] changing, IntList found) {
        if (!changing[node] && !problem.residentNode(node)) {
            changing[node] = true;
            found.add(node);
        }
    }

    private void addConstants() {
        StorageTimeline timeline = StorageTimeline.of(problem, sequence);
        long[] change = new long[line.size() + 1];
        long[] workspace = new long[line.size()];
        for (int t = 0; t < sequence.length(); t++) {
            int node = sequence.node(t);
            if (changing[node]) {
                continue;
            }
            workspace[line.event(t)] = problem.workspaceBytes(node);
            int first = problem.firstResult(node);
            for (int v = first; v < problem.endResult(node); v++) {
                int instance = timeline.instance(t, v - first);
                if (!timeline.resident(instance) && timeline.storage(instance) == instance) {
                    int last = timeline.last(instance);
                    change[line.event(t)] += problem.bytes(v);
                    change[last == sequence.length() - 1 ? line.size() : line.event(last) + 1] -= problem.bytes(v);
                }
            }
        }
        long sum = problem.residentBytes();
        for (int e = 0; e < time.length; e++) {
            sum += change[e];
            constantBytes[time[e]] = Math.max(constantBytes[time[e]], sum + workspace[e]);
        }
    }
}
