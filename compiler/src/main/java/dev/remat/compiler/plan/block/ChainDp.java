package dev.remat.compiler.plan.block;

import dev.remat.compiler.plan.BackwardPlanner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.SearchLimits;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.TimeIsUpException;
import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.segment.ForwardGraph;
import dev.remat.compiler.plan.segment.MinCut;
import dev.remat.compiler.plan.segment.SegmentBytes;
import dev.remat.compiler.plan.segment.SegmentTrials;
import dev.remat.compiler.plan.segment.Segmentation;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;

/**
 * Cuts the forward into a chain of blocks and finds the best persistent schedule of the chain under a limit by dynamic
 * programming over (first block, last block, memory): each block of a forward run leaves behind all that the backward
 * needs, some of it, its input alone, or nothing (Beaumont, Eyraud-Dubois, Herrmann, Joly and Shilova, 2019, rotor;
 * with several options a block as Rockmate, Zhao et al., 2023). Blocks may run any number of times.
 *
 * <p>The choice of "some" is a minimum cut at one price a byte; prices, numbers of blocks and limits are swept.
 */
public final class ChainDp implements BackwardPlanner {
    private static final int[] BLOCKS = {32, 16};
    private static final int LIMITS = 12;
    private static final double[] PRICES = {0.25, 1, 4};

    @Override
    public String name() {
        return "chain-dp";
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        SegmentTrials trials = new SegmentTrials(name(), problem, options);
        trials.offer(Segmentation.balanced(trials.graph(), 1, trials.cutVertices()));
        boolean large = problem.nodeCount() > SearchLimits.LARGE;
        for (double price : large ? new double[] {1} : PRICES) {
            boolean[] worthKeeping;
            try {
                worthKeeping = worthKeeping(problem, price, options.listener());
            } catch (TimeIsUpException e) {
                return trials.best();
            }
            for (int blocks : BLOCKS) {
                Segmentation segmentation = Segmentation.balanced(trials.graph(), blocks, trials.cutVertices());
                ChainBlocks chain = ChainBlocks.of(trials.graph(), segmentation, worthKeeping);
                int limits = large ? LIMITS / 3 : LIMITS;
                for (int i = 1; i <= limits; i++) {
                    ChainTable table = new ChainTable(chain, (double) chain.total() * i / limits);
                    if (table.feasible()) {
                        trials.offer(segmentation, table.schedule(worthKeeping));
                    }
                }
            }
        }
        return trials.best();
    }

    /** Per value whether a minimum cut at {@code price} times the forward's cost a byte retains it. */
    private static boolean[] worthKeeping(RematProblem problem, double price, SearchListener listener) {
        double costs = 1;
        double bytes = 1;
        int firstBackward = Retention.firstBackward(problem);
        for (int n = 0; n < firstBackward; n++) {
            costs += problem.cost(n);
            for (int v = problem.firstResult(n); v < problem.endResult(n); v++) {
                bytes += problem.resident(v) ? 0 : problem.bytes(v);
            }
        }
        Retention retention = Retention.required(problem);
        MinCut.retainCut(problem, retention, price * costs / bytes, costs, listener);
        boolean[] worth = new boolean[problem.valueCount()];
        for (int v = 0; v < worth.length; v++) {
            worth[v] = retention.retained(v);
        }
        return worth;
    }

    /**
     * What the programme knows of the blocks.
     *
     * @param input bytes that enter a block
     * @param all bytes that its backward needs
     * @param some bytes of those worth keeping
     * @param cost of running it
     * @param rest cost of what is made again where only some is kept
     */
    record ChainBlocks(long[] input, long[] all, long[] some, long[] cost, long[] rest) {
        static ChainBlocks of(ForwardGraph graph, Segmentation segmentation, boolean[] worthKeeping) {
            SegmentBytes bytes = SegmentBytes.of(graph, segmentation);
            RematProblem problem = graph.problem();
            int count = bytes.segments();
            ChainBlocks blocks = new ChainBlocks(
                    new long[count], new long[count], new long[count], new long[count], new long[count]);
            for (int b = 0; b < count; b++) {
                blocks.input[b] = b == 0 ? 0 : graph.crossingBytes(bytes.begin(b));
                blocks.all[b] = bytes.saved(b, b + 1);
                blocks.cost[b] = bytes.cost(b, b + 1);
            }
            int[] segment = segmentation.cutsUpTo();
            for (int p = 0; p < graph.size(); p++) {
                boolean keeps = false;
                for (int v = problem.firstResult(graph.node(p)); v < problem.endResult(graph.node(p)); v++) {
                    keeps |= worthKeeping[v];
                    blocks.some[segment[p]] += worthKeeping[v] && graph.counts(v) ? problem.bytes(v) : 0;
                }
                blocks.rest[segment[p]] += keeps ? 0 : problem.cost(graph.node(p));
            }
            return blocks;
        }

        int count() {
            return all.length;
        }

        long total() {
            return Arrays.stream(all).sum();
        }
    }
}
