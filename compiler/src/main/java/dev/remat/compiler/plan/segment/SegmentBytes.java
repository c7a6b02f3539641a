package dev.remat.compiler.plan.segment;

import dev.remat.ir.plan.RematProblem;

/**
 * What runs of neighbouring segments of a forward hold, leave behind and cost, for dynamic programmes over segments.
 */
public final class SegmentBytes {
    private final ForwardGraph graph;
    private final Segmentation segmentation;
    private final int segments;
    /** Bytes and cost of what is made in segments before {@code b} and read in or after segment {@code e}: [e][b]. */
    private final long[][] boundaryBytes;

    private final long[][] boundaryCost;
    private final long[] cost;

    private SegmentBytes(ForwardGraph graph, Segmentation segmentation) {
        this.graph = graph;
        this.segmentation = segmentation;
        segments = segmentation.size();
        boundaryBytes = new long[segments + 1][segments + 1];
        boundaryCost = new long[segments + 1][segments + 1];
        cost = new long[segments + 1];
        measure();
    }

    public static SegmentBytes of(ForwardGraph graph, Segmentation segmentation) {
        return new SegmentBytes(graph, segmentation);
    }

    private void measure() {
        RematProblem problem = graph.problem();
        int[] segment = segmentation.cutsUpTo();
        int[] storageLast = new int[problem.valueCount()];
        for (int v = 0; v < storageLast.length; v++) {
            if (graph.counts(v) && graph.lastRead(v) >= 0) {
                int storage = problem.storage(v);
                storageLast[storage] = Math.max(storageLast[storage], segment[graph.lastRead(v)]);
            }
        }
        for (int p = 0; p < graph.size(); p++) {
            int node = graph.node(p);
            cost[segment[p] + 1] += problem.cost(node);
            int nodeLast = segments;
            for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
                if (graph.counts(v) && problem.storage(v) == v) {
                    for (int end = segment[p] + 1; end <= storageLast[v]; end++) {
                        boundaryBytes[end][segment[p] + 1] += problem.bytes(v);
                    }
                }
                nodeLast = Math.min(nodeLast, graph.counts(v) ? storageLast[problem.storage(v)] : nodeLast);
            }
            for (int end = segment[p] + 1; end <= Math.min(nodeLast, segments - 1); end++) {
                boundaryCost[end][segment[p] + 1] += problem.cost(node);
            }
        }
        for (int b = 0; b < segments; b++) {
            cost[b + 1] += cost[b];
            for (int e = 0; e <= segments; e++) {
                boundaryBytes[e][b + 1] += boundaryBytes[e][b];
                boundaryCost[e][b + 1] += boundaryCost[e][b];
            }
        }
    }

    public int segments() {
        return segments;
    }

    /** Position at which a segment begins. */
    public int begin(int segment) {
        return segmentation.begin(segment);
    }

    /** Bytes of all that the backward reads. */
    long total() {
        return saved(0, segments);
    }

    long totalCost() {
        return cost[segments];
    }

    /** Bytes that the backward reads of segments from {@code begin} up to, not including, {@code end}. */
    public long saved(int begin, int end) {
        int to = end == segments ? graph.size() : begin(end);
        return graph.savedBefore(to) - graph.savedBefore(begin(begin));
    }

    /** Bytes that these segments make and later ones read. */
    long boundary(int begin, int end) {
        return boundaryBytes[end][end] - boundaryBytes[end][begin];
    }

    /** Cost of one computation of these segments. */
    public long cost(int begin, int end) {
        return cost[end] - cost[begin];
    }

    /** Cost of computing these segments again from what they read, with what they leave behind still in memory. */
    long recomputed(int begin, int end) {
        return cost(begin, end) - (boundaryCost[end][end] - boundaryCost[end][begin]);
    }
}
