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
