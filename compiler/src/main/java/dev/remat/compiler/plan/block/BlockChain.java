package dev.remat.compiler.plan.block;

import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.compiler.plan.segment.ForwardGraph;
import dev.remat.compiler.plan.segment.Segmentation;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A forward cut into a chain of blocks, each with its options; equal blocks are solved once. Knows besides what
 * leaves a block and is read after a later one, which a group of blocks that ends between must keep.
 */
final class BlockChain {
    private static final int NONE = -1;

    private final ForwardGraph graph;
    private final Segmentation segmentation;
    private final int[][] backward;
    /** Per node the block in whose backward it runs, or {@link #NONE} ahead of the backward. */
    private final int[] regions;
    /** Per block, for each value of its own problem, the value of the whole problem. */
    private final int[][] originals;

    private final int[][] crossings;
    private final BlockOptions[] options;
    private int distinct;

    private BlockChain(ForwardGraph graph, Segmentation segmentation) {
        this.graph = graph;
        this.segmentation = segmentation;
        backward = backwardNodes();
        originals = new int[size()][];
        crossings = new int[size()][];
        options = new BlockOptions[size()];
        regions = new int[graph.problem().nodeCount()];
        Arrays.fill(regions, NONE);
        for (int b = 0; b < backward.length; b++) {
            for (int node : backward[b]) {
                regions[node] = b;
            }
        }
    }

    /**
     * Solves every distinct block.
     *
     * @param prices cost units a byte, ascending
     * @throws dev.remat.compiler.plan.TimeIsUpException if the listener says so
     */
    static BlockChain of(ForwardGraph graph, Segmentation segmentation, double[] prices, SearchListener listener) {
        BlockChain chain = new BlockChain(graph, segmentation);
        Map<LongBuffer, BlockOptions> known = new LinkedHashMap<>();
        for (int b = 0; b < chain.size(); b++) {
            listener.check();
            BlockProblem.Extract extract =
                    BlockProblem.of(graph, chain.begin(b), chain.begin(b + 1), chain.backward[b]);
            BlockOptions options = known.get(extract.shape());
            if (options == null) {
                options = BlockOptions.of(extract, prices, listener);
                known.put(extract.shape(), options);
            }
            chain.originals[b] = extract.original();
            chain.crossings[b] = extract.crossing();
            chain.options[b] = options;
        }
        chain.distinct = known.size();
        return chain;
    }

    int size() {
        return segmentation.size();
    }

    /** Number of blocks that had to be solved. */
    int distinct() {
        return distinct;
    }

    /** Position at which a block begins; the number of positions for the one after the last. */
    int begin(int block) {
        return block == size() ? graph.size() : segmentation.begin(block);
    }

    ForwardGraph graph() {
        return graph;
    }

    BlockOptions options(int block) {
        return options[block];
    }

    int choices() {
        return options[0].choices().size();
    }

    /** Values of the whole problem that a choice keeps of a block. */
    int[] values(int block, int choice) {
        return originals(block, options[block].choices().get(choice).values());
    }

    /** Values that leave the block. */
    int[] crossing(int block) {
        return originals(block, crossings[block]);
    }

    private int[] originals(int block, int[] values) {
        return Arrays.stream(values).map(v -> originals[block][v]).toArray();
    }

    /** The most bytes in memory while the backward of each block runs, recomputations for it included. */
    long[] backwardPeaks(OperatorSequence sequence, long[] liveBytes) {
        long[] peaks = new long[size()];
        int block = NONE;
        for (int t = sequence.length() - 1; t >= 0; t--) {
            int region = regions[sequence.node(t)];
            block = region == NONE ? block : region;
            if (block != NONE) {
                peaks[block] = Math.max(peaks[block], liveBytes[t]);
            }
        }
        return peaks;
    }

    /** Each backward node belongs to the latest block it reads of; one that reads none goes with the one before. */
    private int[][] backwardNodes() {
        RematProblem problem = graph.problem();
        int[] segment = segmentation.cutsUpTo();
        IntList[] lists = new IntList[size()];
        Arrays.setAll(lists, b -> new IntList());
        int current = size() - 1;
        for (int n = Retention.firstBackward(problem); n < problem.nodeCount(); n++) {
            int latest = -1;
            for (int k = 0; k < problem.inputCount(n); k++) {
                int position = graph.position(problem.producer(problem.input(n, k)));
                boolean forward = position >= 0 && problem.role(n) != Role.FORWARD;
                latest = forward ? Math.max(latest, segment[position]) : latest;
            }
            current = latest >= 0 ? latest : current;
            if (!problem.residentNode(n)) {
                lists[current].add(n);
            }
        }
        return Arrays.stream(lists).map(IntList::toArray).toArray(int[][]::new);
    }
}
