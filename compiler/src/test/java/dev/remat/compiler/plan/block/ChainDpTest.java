package dev.remat.compiler.plan.block;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.Chains;
import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.segment.ForwardGraph;
import dev.remat.compiler.plan.segment.Revolve;
import dev.remat.compiler.plan.segment.Segmentation;
import dev.remat.ir.plan.RematProblem;
import org.junit.jupiter.api.Test;

class ChainDpTest {
    private static ChainDp.ChainBlocks blocks(int length, long input, long all, long some, long rest) {
        ChainDp.ChainBlocks blocks = new ChainDp.ChainBlocks(
                new long[length], new long[length], new long[length], new long[length], new long[length]);
        for (int b = 0; b < length; b++) {
            blocks.input()[b] = b == 0 ? 0 : input;
            blocks.all()[b] = all;
            blocks.some()[b] = some;
            blocks.cost()[b] = 10;
            blocks.rest()[b] = rest;
        }
        return blocks;
    }

    /** Three blocks of 32 bytes fit into 96; in 95 one must go: the first, whose rest costs 2, keeping 9 + 8 bytes. */
    @Test
    void keepsSomeOfABlockWhereThatIsCheaperThanRunningItAgain() {
        assertThat(new ChainTable(blocks(3, 8, 32, 9, 2), 96).cost()).isEqualTo(30);
        assertThat(new ChainTable(blocks(3, 8, 32, 9, 2), 95).cost()).isEqualTo(32);
        assertThat(new ChainTable(blocks(3, 8, 32, 9, 20), 95).cost()).isEqualTo(40);
        assertThat(new ChainTable(blocks(3, 8, 32, 9, 2), 31).feasible()).isFalse();
    }

    /**
     * Blocks whose tape fills the memory that c inputs leave, the one that is worked on among them: the best is what
     * binomial checkpointing reaches, t + l runs. The limit is 96 so that nothing is rounded.
     */
    @Test
    void isBinomialCheckpointingOnAnEvenChain() {
        for (int length = 2; length <= 14; length++) {
            for (int checkpoints = 1; checkpoints <= 6; checkpoints++) {
                int r = Revolve.passes(length, checkpoints);
                long t = (long) r * length - Revolve.binomial(checkpoints + r, checkpoints) * r / (checkpoints + 1);
                int tape = 96 - checkpoints;
                double cost = new ChainTable(blocks(length, 1, tape, tape, 10), 96).cost();
                assertThat(cost).as("l %d, c %d", length, checkpoints).isEqualTo(10.0 * (t + length));
            }
        }
    }

    @Test
    void theSequenceCostsNoMoreThanTheTableSays() {
        for (int length = 2; length <= 30; length += 7) {
            RematProblem chain = Chains.taped(length);
            ForwardGraph graph = ForwardGraph.of(chain, Retention.required(chain));
            boolean[] some = new boolean[chain.valueCount()];
            Segmentation segmentation = Chains.eachNode(graph, 2);
            ChainDp.ChainBlocks blocks = ChainDp.ChainBlocks.of(graph, segmentation, some);
            for (int limit = 3; limit <= length + 2; limit += 3) {
                ChainTable table = new ChainTable(blocks, limit);
                assertThat(table.feasible()).as("l %d, limit %d", length, limit).isTrue();
                SequenceEvaluation evaluation =
                        SequenceEvaluator.evaluate(chain, Chains.replayed(chain, 2, table.schedule(some)));
                assertThat(evaluation.violations()).isEmpty();
                assertThat((double) evaluation.cost()).isLessThanOrEqualTo(table.cost());
                // The running block's states and two gradients come on top of what is kept.
                assertThat(evaluation.peakBytes()).isLessThanOrEqualTo(limit + 4);
            }
        }
    }
}
