package dev.remat.compiler.plan.evaluate;

import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;
import java.util.List;

/** Which node destroys what a value shows: values that show a resident, in the order in which the problem is given. */
public final class Overwrites {
    public static final int NONE = -1;

    private final RematProblem problem;
    /** Per value: the first content of itself, or that of a resident as left by one of its writers. */
    private final int[] content;
    /** Per content: the node that overwrites it. */
    private final int[] overwriter;
    /** Per node: where its writes begin in {@link #previous}. */
    private final int[] firstWrite;
    /** Per write: the node that wrote the same resident before. */
    private final int[] previous;

    private Overwrites(RematProblem problem) {
        this.problem = problem;
        int nodes = problem.nodeCount();
        int values = problem.valueCount();
        firstWrite = new int[nodes + 1];
        for (int n = 0; n < nodes; n++) {
            firstWrite[n + 1] = firstWrite[n] + problem.writes(n).size();
        }
        previous = new int[firstWrite[nodes]];
        content = new int[values];
        overwriter = new int[values + previous.length];
        Arrays.fill(overwriter, NONE);
        int[] latestContent = new int[values];
        int[] latestWriter = new int[values];
        Arrays.setAll(latestContent, v -> v);
        Arrays.fill(latestWriter, NONE);
        for (int n = 0; n < nodes; n++) {
            List<Integer> writes = problem.writes(n);
            for (int k = 0; k < writes.size(); k++) {
                int resident = writes.get(k);
                previous[firstWrite[n] + k] = latestWriter[resident];
                overwriter[latestContent[resident]] = n;
                latestContent[resident] = values + firstWrite[n] + k;
                latestWriter[resident] = n;
            }
            for (int v = problem.firstResult(n); v < problem.endResult(n); v++) {
                int viewed = problem.viewOf(v);
                boolean shows = viewed != ProblemValue.NONE;
                boolean rewritten = shows && writes.contains(problem.storage(v));
                content[v] = rewritten ? latestContent[problem.storage(v)] : shows ? content[viewed] : v;
            }
        }
    }

    public static Overwrites of(RematProblem problem) {
        return new Overwrites(problem);
    }

    /** The node that destroys what the value shows, or {@link #NONE}. */
    public int overwriter(int value) {
        return overwriter[content[value]];
    }

    /** Whether {@code node} reads something that a node before {@code end} destroys, so that it cannot run later. */
    public boolean readsOverwrittenBefore(int node, int end) {
        for (int k = 0; k < problem.inputCount(node); k++) {
            int writer = overwriter(problem.input(node, k));
            if (writer != NONE && writer < end && writer != node) {
                return true;
            }
        }
        return false;
    }

    /** The node that writes the {@code position}-th resident that {@code node} writes after it, or {@link #NONE}. */
    public int nextWriter(int node, int position) {
        return overwriter[problem.valueCount() + firstWrite[node] + position];
    }

    /** The node that must have written the {@code position}-th resident that {@code node} writes, or {@link #NONE}. */
    public int previousWriter(int node, int position) {
        return previous[firstWrite[node] + position];
    }
}
