package dev.remat.compiler.layout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.SearchListener;
import dev.remat.ir.plan.BufferLifetime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LargeBuffersTest {
    /** Two sizes of large buffers, one after the other in a few lanes, and small ones that stay longer. */
    static List<BufferLifetime> mixed(long seed, int small) {
        SplittableRandom random = new SplittableRandom(seed);
        List<BufferLifetime> buffers = new ArrayList<>();
        int steps = 400;
        for (int lane = 0; lane < 4; lane++) {
            for (int at = 0; at < steps; ) {
                int end = Math.min(steps, at + 2 + random.nextInt(20));
                buffers.add(new BufferLifetime("large", at, end, random.nextBoolean() ? 20_480 : 16_384, 64));
                at = end;
            }
        }
        for (int i = 0; i < small; i++) {
            int at = random.nextInt(steps - 40);
            buffers.add(new BufferLifetime("small", at, at + 1 + random.nextInt(40), 64L << random.nextInt(4), 64));
        }
        return buffers;
    }

    private static long height(PlacementOrder order, Intervals intervals) {
        return intervals.height(order.place().offsets());
    }

    @Test
    void smallOnesLieLowerAroundThemThanInAnOrderOfAll() {
        int lower = 0;
        for (long seed = 0; seed < 10; seed++) {
            Intervals intervals = Intervals.of(mixed(seed, 600));
            Comparator<Integer> first = Comparator.comparingInt(b -> intervals.lower[b]);
            Comparator<Integer> largest = Comparator.comparingLong(b -> -intervals.size[b]);
            long around = height(new PlacementOrder(intervals, LargeBuffers.places(intervals), first), intervals);
            long inOrder = height(
                    new PlacementOrder(intervals, PlacementOrder.Method.FIRST_FIT, largest.thenComparing(first)),
                    intervals);
            lower += around < inOrder ? 1 : 0;
        }
        assertThat(lower).isGreaterThanOrEqualTo(8);
    }

    @Test
    void onlyTheyHavePlacesAndTheseAreALayout() {
        List<BufferLifetime> buffers = mixed(3, 600);
        long[] places = LargeBuffers.places(Intervals.of(buffers));
        int[] large = IntStream.range(0, buffers.size())
                .filter(b -> buffers.get(b).size() > 10_000)
                .toArray();
        assertThat(IntStream.range(0, places.length).filter(b -> places[b] >= 0).toArray())
                .isEqualTo(large);
        List<BufferLifetime> alone = IntStream.of(large).mapToObj(buffers::get).toList();
        List<Long> offsets = IntStream.of(large).mapToObj(b -> places[b]).toList();
        FoundLayout found = LowestLayout.find(alone, new LayoutLimits(0, 20_000_000, SearchListener.NONE));
        SoundLayout.check(alone, false, offsets, found.height(), found.liveSum());
    }

    @Test
    void theyAreFewOnlyWhereMostAreSmall() {
        assertThat(LargeBuffers.areFew(Intervals.of(mixed(1, 3000)))).isTrue();
        assertThat(LargeBuffers.areFew(Intervals.of(mixed(1, 600)))).isFalse();
    }
}
