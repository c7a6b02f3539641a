package dev.remat.compiler.plan.price;

import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;

/** The runs of a valid sequence: when each node runs, and when what a run makes is read before it is made again. */
public final class SequenceRuns {
    /** Stands for "no step". */
    public static final int NEVER = -1;

    private final RematProblem problem;
    private final OperatorSequence sequence;
    /** Per node: where its runs begin in {@link #runs}. */
    private final int[] firstRun;

    private final int[] runs;
    /** Per step: where its results begin in the arrays below. */
    private final int[] firstResult;

    private final int[] lastRead;
    private final int[] lastReadBeforeRest;
    private final int[] firstReadInRest;

    private SequenceRuns(RematProblem problem, OperatorSequence sequence) {
        this.problem = problem;
        this.sequence = sequence;
        int steps = sequence.length();
        firstRun = new int[problem.nodeCount() + 1];
        firstResult = new int[steps + 1];
        for (int t = 0; t < steps; t++) {
            firstResult[t + 1] = firstResult[t];
            if (!sequence.runs(t)) {
                continue;
            }
            int node = sequence.node(t);
            firstRun[node + 1]++;
            firstResult[t + 1] += problem.endResult(node) - problem.firstResult(node);
        }
        for (int n = 0; n < problem.nodeCount(); n++) {
            firstRun[n + 1] += firstRun[n];
        }
        runs = new int[steps];
        lastRead = new int[firstResult[steps]];
        lastReadBeforeRest = new int[firstResult[steps]];
        firstReadInRest = new int[firstResult[steps]];
        sweep();
    }

    public static SequenceRuns of(RematProblem problem, OperatorSequence sequence) {
        return new SequenceRuns(problem, sequence);
    }

    private void sweep() {
        Arrays.fill(lastRead, NEVER);
        Arrays.fill(lastReadBeforeRest, NEVER);
        Arrays.fill(firstReadInRest, NEVER);
        int[] done = new int[problem.nodeCount()];
        int rest = sequence.length();
        for (int t = 0; t < sequence.length(); t++) {
            if (!sequence.runs(t)) {
                continue;
            }
            int node = sequence.node(t);
            boolean begins = problem.role(node) == Role.BACKWARD || done[node] > 0;
            rest = begins ? Math.min(rest, t) : rest;
            for (int k = 0; k < problem.inputCount(node); k++) {
                int v = problem.input(node, k);
                int producer = problem.producer(v);
                if (done[producer] > 0) {
                    read(result(runs[firstRun[producer] + done[producer] - 1], v), t, rest);
                }
            }
            runs[firstRun[node] + done[node]++] = t;
        }
        for (int v : problem.outputs()) {
            int producer = problem.producer(v);
            if (done[producer] > 0) {
                lastRead[result(runs[firstRun[producer] + done[producer] - 1], v)] = sequence.length();
            }
        }
    }

    private void read(int result, int step, int rest) {
        lastRead[result] = step;
        if (step < rest) {
            lastReadBeforeRest[result] = step;
        } else if (firstReadInRest[result] == NEVER) {
            firstReadInRest[result] = step;
        }
    }

    private int result(int step, int value) {
        return firstResult[step] + value - problem.firstResult(problem.producer(value));
    }

    /** How often a node runs. */
    public int count(int node) {
        return firstRun[node + 1] - firstRun[node];
    }

    /** The step of a node's {@code index}-th run. */
    public int step(int node, int index) {
        return runs[firstRun[node] + index];
    }

    /** How often a node has run before {@code step}. */
    public int countBefore(int node, int step) {
        int position = Arrays.binarySearch(runs, firstRun[node], firstRun[node + 1], step);
        return (position >= 0 ? position : -position - 1) - firstRun[node];
    }

    /**
     * Last step that reads what {@code step} made of a value; the number of steps for what the step leaves behind,
     * {@link #NEVER} where nothing reads it.
     */
    public int lastRead(int step, int value) {
        return lastRead[result(step, value)];
    }

    /** The same among the steps before the rest, the first step at which a backward node runs, or a node runs again. */
    public int lastReadBeforeRest(int step, int value) {
        return lastReadBeforeRest[result(step, value)];
    }

    /** First of the steps of the rest that reads what {@code step} made of a value, or {@link #NEVER}. */
    public int firstReadInRest(int step, int value) {
        return firstReadInRest[result(step, value)];
    }

    /** Whether anything reads what {@code step} makes. */
    public boolean isRead(int step) {
        boolean read = false;
        for (int r = firstResult[step]; r < firstResult[step + 1]; r++) {
            read |= lastRead[r] != NEVER;
        }
        return read;
    }
}
