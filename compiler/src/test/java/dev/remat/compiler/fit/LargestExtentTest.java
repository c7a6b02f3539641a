package dev.remat.compiler.fit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

class LargestExtentTest {
    private final List<Long> asked = new ArrayList<>();

    private int mostAsked = Integer.MAX_VALUE;

    private long find(long least, long most, long memory, LongUnaryOperator bytes) {
        asked.clear();
        return LargestExtent.find(
                least,
                most,
                memory,
                number -> {
                    assertThat(number).isBetween(least, most);
                    asked.add(number);
                    return bytes.applyAsLong(number);
                },
                () -> asked.size() >= mostAsked);
    }

    @Test
    void endsWithTheLargestKnownToFitWhenItIsLate() {
        mostAsked = 5;
        long found = find(1, 1 << 20, Long.MAX_VALUE - 1, n -> n > 12_345 ? Long.MAX_VALUE : n);
        assertThat(asked).hasSize(5).contains(found);
        assertThat(found).isBetween(1L, 12_344L);
    }

    @Test
    void aLineIsFollowedToItsEnd() {
        assertThat(find(1, 1_000_000, 80_000, n -> 5_000 + 366 * n)).isEqualTo(75_000 / 366);
        assertThat(asked).hasSizeLessThan(9);
    }

    @Test
    void nothingFits() {
        assertThat(find(1, 10, 99, n -> 99 + n)).isZero();
        assertThat(asked).containsExactly(1L);
        assertThat(find(7, 10, 99, n -> 99 + n)).isEqualTo(6);
    }

    @Test
    void everythingFits() {
        assertThat(find(1, 1_000_000, 100, n -> 100)).isEqualTo(1_000_000);
        assertThat(asked).hasSizeLessThan(4);
        assertThat(find(1, 1_000_000, 1_000_000_000, n -> n)).isEqualTo(1_000_000);
        assertThat(find(5, 5, 100, n -> 100)).isEqualTo(5);
    }

    @Test
    void whatIsOutOfTheQuestionIsHalvedOff() {
        assertThat(find(1, 1 << 20, Long.MAX_VALUE - 1, n -> n > 12_345 ? Long.MAX_VALUE : n))
                .isEqualTo(12_345);
        assertThat(asked).hasSizeLessThan(50);
    }

    @Test
    void anyGrowthGivesWhatCountingUpGives() {
        Random random = new Random(11);
        for (int trial = 0; trial < 300; trial++) {
            long[] bytes = new long[200];
            for (int n = 1; n < bytes.length; n++) {
                bytes[n] = bytes[n - 1] + (random.nextInt(4) == 0 ? random.nextInt(1000) : trial % 3);
            }
            long memory = random.nextLong(bytes[199] + 10);
            long expected = 0;
            while (expected < 199 && bytes[(int) expected + 1] <= memory) {
                expected++;
            }
            assertThat(find(1, 199, memory, n -> bytes[(int) n])).isEqualTo(expected);
            assertThat(asked).hasSizeLessThan(40);
        }
    }
}
