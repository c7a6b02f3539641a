package dev.remat.compiler.plan.evaluate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PeakTreeTest {
    @Test
    void agreesWithAPlainArray() {
        SplittableRandom random = new SplittableRandom(11);
        for (int size : new int[] {1, 2, 3, 7, 8, 9, 100}) {
            long[] plain = random.longs(size, 0, 50).toArray();
            PeakTree tree = new PeakTree(plain);
            for (int i = 0; i < 300; i++) {
                int a = random.nextInt(size + 1);
                int b = random.nextInt(size + 1);
                long bytes = random.nextInt(41) - 20;
                tree.add(Math.min(a, b), Math.max(a, b), bytes);
                for (int t = Math.min(a, b); t < Math.max(a, b); t++) {
                    plain[t] += bytes;
                }
                int from = random.nextInt(size);
                int to = from + 1 + random.nextInt(size - from);
                assertThat(tree.largest(from, to))
                        .isEqualTo(Arrays.stream(plain, from, to).max().getAsLong());
                assertThat(tree.largest()).isEqualTo(Arrays.stream(plain).max().getAsLong());
                int peak = tree.peakStep();
                assertThat(plain[peak]).isEqualTo(tree.largest());
                assertThat(Arrays.stream(plain, 0, peak).allMatch(other -> other < tree.largest()))
                        .isTrue();
            }
        }
    }

    /** Step by step up to 128 steps, and beyond that of the largest of each part. */
    @Test
    void addsUpWhatExceedsALimit() {
        SplittableRandom random = new SplittableRandom(12);
        for (int size : new int[] {1, 3, 100, 128, 200, 1000}) {
            int part = Math.max(1, Math.max(1, Integer.highestOneBit(Math.max(1, size - 1)) << 1) / 128);
            long[] plain = random.longs(size, 0, 50).toArray();
            PeakTree tree = new PeakTree(plain);
            for (int i = 0; i < 50; i++) {
                int a = random.nextInt(size + 1);
                int b = random.nextInt(size + 1);
                long bytes = random.nextInt(41) - 20;
                tree.add(Math.min(a, b), Math.max(a, b), bytes);
                for (int t = Math.min(a, b); t < Math.max(a, b); t++) {
                    plain[t] += bytes;
                }
                long limit = random.nextInt(80);
                long excess = 0;
                for (int from = 0; from < size; from += part) {
                    long most = Arrays.stream(plain, from, Math.min(size, from + part))
                            .max()
                            .getAsLong();
                    excess += Math.max(0, most - limit);
                }
                assertThat(tree.excess(limit)).isEqualTo(excess);
            }
        }
    }
}
