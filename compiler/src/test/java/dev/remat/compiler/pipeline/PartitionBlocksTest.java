package dev.remat.compiler.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class PartitionBlocksTest {
    @Test
    void isAsGoodAsTheBestOfAllCuts() {
        Random random = new Random(5);
        int none = 0;
        for (int trial = 0; trial < 400; trial++) {
            int blocks = 1 + random.nextInt(12);
            int parts = 1 + random.nextInt(4);
            long[] times = random.longs(blocks, 0, 20).toArray();
            long[] bytes = random.longs(blocks, 0, 20).toArray();
            long room = 10 + random.nextInt(90);
            PartitionBlocks.Cost cost = (part, from, to) ->
                    sum(bytes, from, to) > room + 5L * part ? PartitionBlocks.Cost.TOO_LARGE : sum(times, from, to);
            long best = best(blocks, parts, 0, 0, cost);
            var found = PartitionBlocks.run(blocks, parts, cost);
            if (best == PartitionBlocks.Cost.TOO_LARGE) {
                none++;
                assertThat(found).isEmpty();
            } else {
                assertThat(longest(found.orElseThrow(), blocks, cost)).isEqualTo(best);
            }
        }
        assertThat(none).isBetween(20, 380);
    }

    /** By time as by size: either is a sequence of costs. Where all blocks cost alike, both cut as evenly as can be. */
    @Test
    void theLongestPartIsNeverLongerThanWhereBlocksAreBalanced() {
        Random random = new Random(2);
        int shorter = 0;
        for (int trial = 0; trial < 2_000; trial++) {
            int blocks = 4 + random.nextInt(40);
            int parts = 2 + random.nextInt(3);
            int most = trial % 10 == 0 ? 1 : 1_000;
            long[] costs = random.longs(blocks, most == 1 ? 1 : 0, most + 1L).toArray();
            PartitionBlocks.Cost cost = (_, from, to) -> sum(costs, from, to);
            long own = longest(PartitionBlocks.run(blocks, parts, cost).orElseThrow(), blocks, cost);
            int[] balanced = BalancedBlocks.run(costs, parts);
            long others = 0;
            for (int part = 0; part < parts; part++) {
                int end = part + 1 < parts ? balanced[part + 1] : blocks;
                others = Math.max(others, sum(costs, balanced[part], end));
            }
            assertThat(own).isLessThanOrEqualTo(others);
            assertThat(most == 1 ? others : own).isEqualTo(own);
            shorter += own < others ? 1 : 0;
        }
        assertThat(shorter).isGreaterThan(200);
    }

    private static long sum(long[] values, int from, int to) {
        long sum = 0;
        for (int k = from; k < to; k++) {
            sum += values[k];
        }
        return sum;
    }

    private static long longest(int[] begins, int blocks, PartitionBlocks.Cost cost) {
        long longest = 0;
        for (int part = 0; part < begins.length; part++) {
            int end = part + 1 < begins.length ? begins[part + 1] : blocks;
            assertThat(begins[part]).isLessThan(end);
            longest = Math.max(longest, cost.of(part, begins[part], end));
        }
        return longest;
    }

    /** Over every way to cut what follows {@code from} into the parts from {@code part} on. */
    private static long best(int blocks, int parts, int part, int from, PartitionBlocks.Cost cost) {
        if (part == parts) {
            return from == blocks ? 0 : PartitionBlocks.Cost.TOO_LARGE;
        }
        long best = PartitionBlocks.Cost.TOO_LARGE;
        for (int to = from + 1; to <= blocks; to++) {
            best = Math.min(best, Math.max(cost.of(part, from, to), best(blocks, parts, part + 1, to, cost)));
        }
        return best;
    }
}
