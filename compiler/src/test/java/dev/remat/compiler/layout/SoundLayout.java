package dev.remat.compiler.layout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.plan.BufferLifetime;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Sweeps over time with the live buffers sorted by offset: a buffer that comes must fit between its neighbours. Knows
 * nothing of how offsets are chosen.
 */
public final class SoundLayout {
    private SoundLayout() {}

    /** Checks offsets, height and live sum, for sizes rounded up to their alignment or as they are. */
    public static void check(
            List<BufferLifetime> buffers, boolean rounded, List<Long> offsets, long height, long liveSum) {
        long[] size = buffers.stream()
                .mapToLong(b -> rounded ? b.alignedSize() : b.size())
                .toArray();
        TreeSet<Integer> live =
                new TreeSet<>(Comparator.<Integer>comparingLong(offsets::get).thenComparingInt(i -> i));
        List<Integer> coming = IntStream.range(0, buffers.size())
                .boxed()
                .filter(i -> size[i] > 0)
                .sorted(Comparator.comparingInt(i -> buffers.get(i).lower()))
                .toList();
        List<Integer> going = coming.stream()
                .sorted(Comparator.comparingInt(i -> buffers.get(i).upper()))
                .toList();
        int gone = 0;
        long sum = 0;
        long largestSum = 0;
        long highest = 0;
        for (int i : coming) {
            while (buffers.get(going.get(gone)).upper() <= buffers.get(i).lower()) {
                sum -= size[going.get(gone)];
                live.remove(going.get(gone++));
            }
            assertThat(offsets.get(i)).isNotNegative();
            assertThat(offsets.get(i) % buffers.get(i).alignment()).isZero();
            Integer below = live.lower(i);
            Integer above = live.higher(i);
            if (below != null) {
                assertThat(offsets.get(below) + size[below]).isLessThanOrEqualTo(offsets.get(i));
            }
            if (above != null) {
                assertThat(offsets.get(i) + size[i]).isLessThanOrEqualTo(offsets.get(above));
            }
            live.add(i);
            sum += size[i];
            largestSum = Math.max(largestSum, sum);
            highest = Math.max(highest, offsets.get(i) + size[i]);
        }
        assertThat(height).isEqualTo(highest);
        assertThat(liveSum).isEqualTo(largestSum);
    }
}
