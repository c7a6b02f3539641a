package dev.remat.compiler.plan.block;

import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.build.SequenceBuilder;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.segment.MinCut;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.RetainReason;
import dev.remat.ir.plan.RetainedValue;
import java.util.ArrayList;
import java.util.List;

/**
 * What one block may leave in memory between forward and backward, one choice for each price of a byte: a minimum cut
 * of the block's own problem, where what leaves the block stays and where it does not.
 *
 * @param choices as many for every block, in the same order: keeping all, then two for each price, ascending
 */
record BlockOptions(List<Choice> choices) {
    /**
     * What a block holds and costs.
     *
     * @param kept bytes in memory from the forward on
     * @param replayed bytes that come back when later blocks need what leaves the block, and stay for its own backward
     * @param work bytes above these two at the peak
     * @param cost of what runs again
     */
    record Figures(long kept, long replayed, long work, long cost) {
        long total() {
            return kept + replayed;
        }
    }

    /**
     * A set of values to keep.
     *
     * @param values indices in the block's problem, without those that leave it
     * @param inner where what leaves the block is computed again
     * @param last where it stays
     */
    record Choice(int[] values, Figures inner, Figures last) {}

    BlockOptions {
        choices = List.copyOf(choices);
    }

    /**
     * Solves one block.
     *
     * @param prices cost units a byte, ascending
     * @throws dev.remat.compiler.plan.TimeIsUpException if the listener says so
     */
    static BlockOptions of(BlockProblem.Extract block, double[] prices, SearchListener listener) {
        double costs = 0;
        for (int n = 0; n < block.turn(); n++) {
            costs += block.kept().cost(n);
        }
        List<Choice> choices = new ArrayList<>();
        Retention all = required(block.kept(), block);
        all.retainAll(RetainReason.CHOSEN);
        choices.add(choice(block, all));
        for (double price : prices) {
            listener.check();
            Retention dropped = required(block.dropped(), block);
            MinCut.retainCut(block.dropped(), dropped, price, costs, listener);
            choices.add(choice(block, dropped));
            Retention kept = required(block.kept(), block);
            retainCrossing(block, kept);
            MinCut.retainCut(block.kept(), kept, price, costs, listener);
            choices.add(choice(block, kept));
        }
        return new BlockOptions(choices);
    }

    private static Retention required(RematProblem problem, BlockProblem.Extract block) {
        Retention retention = Retention.required(problem);
        for (int v = 0; v < block.free().length; v++) {
            if (block.free()[v]) {
                retention.retain(v, RetainReason.SMALL);
            }
        }
        return retention;
    }

    private static void retainCrossing(BlockProblem.Extract block, Retention retention) {
        for (int v : block.crossing()) {
            retention.retain(v, RetainReason.SEGMENT_BOUNDARY);
        }
    }

    private static Choice choice(BlockProblem.Extract block, Retention chosen) {
        boolean[] leaves = new boolean[block.original().length];
        for (int v : block.crossing()) {
            leaves[v] = true;
        }
        Retention inner = required(block.dropped(), block);
        Retention last = required(block.kept(), block);
        retainCrossing(block, last);
        IntList values = new IntList();
        for (int v = 0; v < leaves.length; v++) {
            if (chosen.retained(v)
                    && !leaves[v]
                    && !block.free()[v]
                    && !block.kept().resident(v)) {
                inner.retain(v, RetainReason.CHOSEN);
                last.retain(v, RetainReason.CHOSEN);
                values.add(v);
            }
        }
        return new Choice(values.toArray(), figures(block, block.dropped(), inner), figures(block, block.kept(), last));
    }

    private static Figures figures(BlockProblem.Extract block, RematProblem problem, Retention retention) {
        OperatorSequence sequence = SequenceBuilder.build("block", problem, retention);
        SequenceEvaluation evaluation = SequenceEvaluator.evaluate(problem, sequence);
        boolean[] counted = new boolean[problem.valueCount()];
        long kept = 0;
        for (RetainedValue value : sequence.retained()) {
            int storage = problem.storage(value.value());
            kept += counted[storage] ? 0 : problem.bytes(storage);
            counted[storage] = true;
        }
        int step = 0;
        while (sequence.node(step) != block.turn()) {
            step++;
        }
        long held = evaluation.liveBytes()[step];
        for (int v = problem.firstResult(block.turn()); v < problem.endResult(block.turn()); v++) {
            held -= problem.viewOf(v) == ProblemValue.NONE ? problem.bytes(v) : 0;
        }
        long replayed = Math.max(0, held - kept);
        return new Figures(
                kept, replayed, Math.max(0, evaluation.peakBytes() - kept - replayed), evaluation.recomputedCost());
    }
}
