package dev.remat.compiler.plan.block;

import dev.remat.compiler.plan.segment.ForwardGraph;
import dev.remat.ir.plan.RematProblem;

/**
 * What is made in the blocks of a group before its last and read after the group: a group that ends between must keep
 * it, beside what leaves its last block.
 */
final class LongSkips {
    /** Per cut before a block: per block before, bytes and cost of what it and all before it make that crosses. */
    private final long[][] bytes;

    private final long[][] cost;

    private LongSkips(BlockChain chain) {
        int size = chain.size();
        bytes = new long[size + 1][];
        cost = new long[size + 1][];
        for (int cut = 0; cut <= size; cut++) {
            bytes[cut] = new long[cut + 1];
            cost[cut] = new long[cut + 1];
        }
        ForwardGraph graph = chain.graph();
        int[] block = new int[graph.size()];
        for (int b = 0; b < size; b++) {
            for (int p = chain.begin(b); p < chain.begin(b + 1); p++) {
                block[p] = b;
            }
        }
        for (int b = 0; b < size; b++) {
            for (int p = chain.begin(b); p < chain.begin(b + 1); p++) {
                measure(graph, p, block);
            }
        }
        for (int cut = 1; cut <= size; cut++) {
            for (int b = 0; b < cut; b++) {
                bytes[cut][b + 1] += bytes[cut][b];
                cost[cut][b + 1] += cost[cut][b];
            }
        }
    }

    static LongSkips of(BlockChain chain) {
        return new LongSkips(chain);
    }

    private void measure(ForwardGraph graph, int position, int[] block) {
        RematProblem problem = graph.problem();
        int node = graph.node(position);
        int made = block[position];
        int nodeLast = Integer.MAX_VALUE;
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            if (graph.counts(v)) {
                int last = graph.lastRead(v) < 0 ? 0 : block[graph.lastRead(v)];
                nodeLast = Math.min(nodeLast, last);
                for (int cut = made + 2; cut <= last; cut++) {
                    bytes[cut][made + 1] += problem.bytes(v);
                }
            }
        }
        for (int cut = made + 2; nodeLast < Integer.MAX_VALUE && cut <= nodeLast; cut++) {
            cost[cut][made + 1] += problem.cost(node);
        }
    }

    /** Bytes that a group must keep of all its blocks but the last. */
    long bytes(int begin, int end) {
        return bytes[end][end - 1] - bytes[end][begin];
    }

    /** Cost of making these. */
    long cost(int begin, int end) {
        return cost[end][end - 1] - cost[end][begin];
    }
}
