package dev.remat.compiler.plan.segment;

import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.ir.plan.RetainReason;
import java.nio.IntBuffer;

/**
 * Cuts a forward graph into segments that hold about equally many bytes of what the backward needs.
 *
 * <p>Each cut is sought around its place of exact balance, half a segment to either side: where the fewest bytes cross,
 * among cut vertices first if asked for, and else among all positions.
 */
public final class Segmentation {
    private final ForwardGraph graph;
    private final IntList cuts = new IntList();

    private Segmentation(ForwardGraph graph) {
        this.graph = graph;
    }

    /**
     * At most {@code count} segments.
     *
     * @param cutVertices for each position whether cutting right after it is preferred
     */
    public static Segmentation balanced(ForwardGraph graph, int count, boolean[] cutVertices) {
        Segmentation segmentation = new Segmentation(graph);
        long total = graph.savedBefore(graph.size());
        int from = 1;
        for (int i = 1; i < count && from < graph.size(); i++) {
            double target = (double) total * i / count;
            double half = (double) total / (2.0 * count);
            while (from < graph.size() && graph.savedBefore(from) < target - half) {
                from++;
            }
            int to = from;
            while (to < graph.size() && graph.savedBefore(to) < target + half) {
                to++;
            }
            if (from < to) {
                segmentation.cuts.add(segmentation.best(from, to, target, cutVertices));
            }
            from = to;
        }
        return segmentation;
    }

    /** Cuts at these positions, ascending, above 0 and below the number of positions. */
    public static Segmentation at(ForwardGraph graph, IntList positions) {
        Segmentation segmentation = new Segmentation(graph);
        for (int i = 0; i < positions.size(); i++) {
            segmentation.cuts.add(positions.get(i));
        }
        return segmentation;
    }

    /** Number of segments. */
    public int size() {
        return cuts.size() + 1;
    }

    /** Position at which a segment begins. */
    public int begin(int segment) {
        return segment == 0 ? 0 : cuts.get(segment - 1);
    }

    /** Retains what crosses a cut and, since the backward begins with it, the whole last segment. */
    void retainBoundaries(Retention retention) {
        int[] cutsUpTo = cutsUpTo();
        int lastBegin = begin(size() - 1);
        for (int p = 0; p < graph.size(); p++) {
            int node = graph.node(p);
            for (int v = graph.problem().firstResult(node); v < graph.problem().endResult(node); v++) {
                if (graph.crosses(v, cutsUpTo)) {
                    retention.retain(v, RetainReason.SEGMENT_BOUNDARY);
                } else if (p >= lastBegin) {
                    retention.retain(v, RetainReason.LAST_SEGMENT);
                }
            }
        }
    }

    /** Where it cuts; equal for the same cuts. */
    IntBuffer cutPositions() {
        return IntBuffer.wrap(cuts.toArray());
    }

    /** Per position the number of cuts before it, which is the segment it belongs to. */
    public int[] cutsUpTo() {
        int[] count = new int[graph.size()];
        for (int i = 0; i < cuts.size(); i++) {
            count[cuts.get(i)]++;
        }
        for (int p = 1; p < count.length; p++) {
            count[p] += count[p - 1];
        }
        return count;
    }

    private int best(int from, int to, double target, boolean[] cutVertices) {
        int best = from;
        for (int cut = from + 1; cut < to; cut++) {
            boolean preferred = cutVertices[cut - 1];
            boolean bestPreferred = cutVertices[best - 1];
            long difference = graph.crossingBytes(cut) - graph.crossingBytes(best);
            boolean nearer = Math.abs(graph.savedBefore(cut) - target) < Math.abs(graph.savedBefore(best) - target);
            boolean better = preferred == bestPreferred ? difference < 0 || difference == 0 && nearer : preferred;
            best = better ? cut : best;
        }
        return best;
    }
}
