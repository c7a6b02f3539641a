package dev.remat.compiler.plan;

/**
 * Where to cut a forward into blocks: behind cut vertices as far apart as an even share of the bytes asks for, so that
 * repeated layers make equal blocks; and where cut vertices are rare, where least crosses.
 */
final class BlockCuts {
    private static final int MOST_BLOCKS = 384;
    /** A block with more than this part of all bytes is cut further, cut vertices or not. */
    private static final int COARSEST = 64;

    private BlockCuts() {}

    static Segmentation of(ForwardGraph graph) {
        boolean[] cutVertices = CutPoints.of(graph);
        long total = graph.savedBefore(graph.size());
        IntList cuts = new IntList();
        int from = 0;
        for (int p = 1; p <= graph.size(); p++) {
            boolean far = (graph.savedBefore(p) - graph.savedBefore(from)) * MOST_BLOCKS >= total;
            if (p == graph.size() || cutVertices[p - 1] && far) {
                divide(graph, from, p, total / COARSEST, cuts);
                if (p < graph.size()) {
                    cuts.add(p);
                }
                from = p;
            }
        }
        return Segmentation.at(graph, cuts);
    }

    /** Cuts between two positions into pieces of about {@code most} bytes, each where the fewest bytes cross. */
    private static void divide(ForwardGraph graph, int from, int to, long most, IntList cuts) {
        int begin = from;
        while (most > 0 && graph.savedBefore(to) - graph.savedBefore(begin) > 2 * most) {
            int best = -1;
            for (int p = begin + 1; p < to && graph.savedBefore(p) - graph.savedBefore(begin) <= 2 * most; p++) {
                boolean far = graph.savedBefore(p) - graph.savedBefore(begin) >= most / 2;
                if (far && (best < 0 || graph.crossingBytes(p) < graph.crossingBytes(best))) {
                    best = p;
                }
            }
            if (best < 0) {
                return;
            }
            cuts.add(best);
            begin = best;
        }
    }
}
