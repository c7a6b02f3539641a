package dev.remat.compiler.plan.segment;

import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;

/**
 * Cut vertices of the forward graph taken as undirected: nodes without which it falls apart, so that keeping their
 * results alone separates what comes before from what comes after. Low-point walk (Hopcroft and Tarjan, 1973) on an
 * explicit stack, since graphs are too deep for recursion. JGraphT's {@code BiconnectivityInspector} finds the same,
 * but calls itself for every node and overflows the stack on a chain of a hundred thousand.
 */
final class CutPoints {
    private static final int NONE = -1;

    private final int[] start;
    private final int[] neighbours;
    private final boolean[] cut;
    private final int[] order;
    private final int[] low;
    private final int[] parent;

    private CutPoints(int[] start, int[] neighbours) {
        this.start = start;
        this.neighbours = neighbours;
        int size = start.length - 1;
        cut = new boolean[size];
        order = new int[size];
        low = new int[size];
        parent = new int[size];
        Arrays.fill(order, NONE);
        Arrays.fill(parent, NONE);
    }

    /** For each position whether its node is a cut vertex. */
    static boolean[] of(ForwardGraph graph) {
        RematProblem problem = graph.problem();
        int[] degree = new int[graph.size() + 1];
        IntList from = new IntList();
        IntList to = new IntList();
        for (int p = 0; p < graph.size(); p++) {
            for (int k = 0; k < problem.inputCount(graph.node(p)); k++) {
                int v = problem.input(graph.node(p), k);
                if (graph.counts(v)) {
                    int q = graph.position(problem.producer(v));
                    from.add(q);
                    to.add(p);
                    degree[q + 1]++;
                    degree[p + 1]++;
                }
            }
        }
        for (int p = 0; p < graph.size(); p++) {
            degree[p + 1] += degree[p];
        }
        int[] next = degree.clone();
        int[] neighbours = new int[2 * from.size()];
        for (int e = 0; e < from.size(); e++) {
            neighbours[next[from.get(e)]++] = to.get(e);
            neighbours[next[to.get(e)]++] = from.get(e);
        }
        return new CutPoints(degree, neighbours).walkAll();
    }

    private boolean[] walkAll() {
        int[] next = Arrays.copyOf(start, order.length);
        int time = 0;
        for (int root = 0; root < order.length; root++) {
            if (order[root] == NONE) {
                time = walk(root, next, time);
            }
        }
        return cut;
    }

    private int walk(int root, int[] next, int startTime) {
        int time = startTime;
        int rootChildren = 0;
        order[root] = time;
        low[root] = time++;
        int at = root;
        while (at != NONE) {
            if (next[at] < start[at + 1]) {
                int to = neighbours[next[at]++];
                if (order[to] == NONE) {
                    parent[to] = at;
                    order[to] = time;
                    low[to] = time++;
                    rootChildren += at == root ? 1 : 0;
                    at = to;
                } else if (to != parent[at]) {
                    low[at] = Math.min(low[at], order[to]);
                }
            } else {
                int above = parent[at];
                if (above != NONE) {
                    low[above] = Math.min(low[above], low[at]);
                    cut[above] |= above != root && low[at] >= order[above];
                }
                at = above;
            }
        }
        cut[root] = rootChildren > 1;
        return time;
    }
}
