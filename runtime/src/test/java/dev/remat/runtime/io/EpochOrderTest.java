package dev.remat.runtime.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EpochOrderTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 16, 17, 1000, 1025})
    void everyEpochVisitsEverySampleOnce(long count) {
        EpochOrder order = new EpochOrder(7, count);
        for (long epoch = 0; epoch < 3; epoch++) {
            long first = epoch * count;
            assertThat(LongStream.range(first, first + count)
                            .map(order::sampleAt)
                            .sorted())
                    .containsExactlyElementsOf(
                            LongStream.range(0, count).boxed().toList());
        }
    }

    @Test
    void dependsOnSeedAndEpoch() {
        EpochOrder order = new EpochOrder(7, 100);
        long[] first = LongStream.range(0, 100).map(order::sampleAt).toArray();
        assertThat(LongStream.range(0, 100)
                        .map(new EpochOrder(7, 100)::sampleAt)
                        .toArray())
                .isEqualTo(first);
        assertThat(LongStream.range(100, 200).map(order::sampleAt).toArray()).isNotEqualTo(first);
        assertThat(LongStream.range(0, 100)
                        .map(new EpochOrder(8, 100)::sampleAt)
                        .toArray())
                .isNotEqualTo(first);
    }

    /** Over many epochs a position sees all samples about equally often: 6,000 draws of 6, mean 1,000, sigma 29. */
    @Test
    void isBalanced() {
        EpochOrder order = new EpochOrder(1, 6);
        int[] seen = new int[6];
        for (long epoch = 0; epoch < 6000; epoch++) {
            seen[(int) order.sampleAt(epoch * 6 + 2)]++;
        }
        for (int times : seen) {
            assertThat(times).isBetween(850, 1150);
        }
    }
}
