package dev.remat.compiler.plan.block;

import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.compiler.plan.segment.ForwardGraph;
import dev.remat.compiler.plan.segment.Segmentation;
import dev.remat.ir.plan.RematProblem;

/**
 * Where to cut a forward into blocks: after nodes whose results alone cross there, as far apart as an even share of
 * the bytes asks for, so that repeated layers make equal blocks; and where there are none for long, where least
 * crosses. Not every cut vertex will do: one with a leaf of its own may lie beside a skip.
 */
final class BlockCuts {
    private static final int MOST_BLOCKS = 384;
    /** A block with more than this part of all bytes is cut further, wherever that is. */
    private static final int COARSEST = 64;

    private BlockCuts() {}

    static Segmentation of(ForwardGraph graph) {
        long total = graph.savedBefore(graph.size());
        IntList cuts = new IntList();
        int from = 0;
        for (int p = 1; p <= graph.size(); p++) {
            boolean far = (graph.savedBefore(p) - graph.savedBefore(from)) * MOST_BLOCKS >= total;
            if (p == graph.size() || far && separates(graph, p)) {
                divide(graph, from, p, total / COARSEST, cuts);
                if (p < graph.size()) {
                    cuts.add(p);
                }
                from = p;
            }
        }
        return Segmentation.at(graph, cuts);
    }

    /** Whether nothing but what the node before makes crosses the cut before a position. */
    private static boolean separates(ForwardGraph graph, int position) {
        RematProblem problem = graph.problem();
        int node = graph.node(position - 1);
        long own = 0;
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            own += graph.counts(v) ? problem.bytes(problem.storage(v)) : 0;
        }
        return graph.crossingBytes(position) <= own;
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
