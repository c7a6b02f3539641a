package dev.remat.compiler.layout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.layout.FoundLayout.Method;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.ir.plan.BufferLifetime;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class LowestLayoutTest {
    private static final long WORK = 100_000_000;

    private static BufferLifetime buffer(int lower, int upper, long size) {
        return new BufferLifetime("b", lower, upper, size, 1);
    }

    private static FoundLayout find(List<BufferLifetime> buffers, long goal, long work) {
        FoundLayout found = LowestLayout.find(buffers, new LayoutLimits(goal, work, SearchListener.NONE));
        SoundLayout.check(buffers, false, found.offsets(), found.height(), found.liveSum());
        assertThat(found.lowerBound()).isBetween(found.liveSum(), found.height());
        return found;
    }

    /** Few buffers, of few sizes, so that coincidences are many and the live sum is sometimes out of reach. */
    private static List<BufferLifetime> tiny(long seed, int count, int alignments) {
        SplittableRandom random = new SplittableRandom(seed);
        List<BufferLifetime> buffers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int lower = random.nextInt(7);
            int upper = lower + 1 + random.nextInt(4);
            buffers.add(new BufferLifetime("b" + i, lower, upper, random.nextInt(5), 1L << random.nextInt(alignments)));
        }
        return buffers;
    }

    /**
     * The least height by trying all orders: in the order of the offsets of a lowest layout, each buffer can be put as
     * low as those put before let it, and not below any of them. Ends early where all that is live together is met.
     */
    private static long leastHeight(List<BufferLifetime> buffers) {
        List<BufferLifetime> some = buffers.stream().filter(b -> b.size() > 0).toList();
        long full = some.stream()
                .mapToLong(a -> some.stream()
                        .filter(b -> b.lower() <= a.lower() && a.lower() < b.upper())
                        .mapToLong(BufferLifetime::size)
                        .sum())
                .max()
                .orElse(0);
        return leastHeight(some, full, new long[some.size()], 0, 0, 0, Long.MAX_VALUE);
    }

    private static long leastHeight(
            List<BufferLifetime> all, long full, long[] tops, int put, long from, long height, long known) {
        if (put == (1 << all.size()) - 1) {
            return height;
        }
        long least = known;
        for (int b = 0; b < all.size() && least > full; b++) {
            BufferLifetime buffer = all.get(b);
            if ((put >> b & 1) == 1) {
                continue;
            }
            long offset = 0;
            for (int other = 0; other < all.size(); other++) {
                boolean below = (put >> other & 1) == 1 && all.get(other).overlaps(buffer);
                offset = below ? Math.max(offset, tops[other]) : offset;
            }
            offset = (offset + buffer.alignment() - 1) / buffer.alignment() * buffer.alignment();
            tops[b] = offset + buffer.size();
            if (offset >= from && Math.max(height, tops[b]) < least) {
                least = leastHeight(all, full, tops, put | 1 << b, offset, Math.max(height, tops[b]), least);
            }
        }
        return least;
    }

    /** Eleven buffers that fill 9 at every step; of the last two seeds it is known that 9 is out of their reach. */
    private static List<Long> seeds() {
        return LongStream.concat(LongStream.range(0, 50), LongStream.of(57, 1689))
                .boxed()
                .toList();
    }

    @Test
    @Tag("slow")
    void heightsAreTheLeastThereAreAndProven() {
        for (long seed : seeds()) {
            List<BufferLifetime> buffers = TightInstances.churn(seed, 11, 9);
            FoundLayout found = find(buffers, 0, WORK);
            assertThat(found.height()).as("seed %d", seed).isEqualTo(leastHeight(buffers));
            assertThat(found.isOptimal()).as("seed %d", seed).isTrue();
            assertThat(seed < 50 || found.height() > found.liveSum())
                    .as("seed %d", seed)
                    .isTrue();
        }
    }

    @Test
    void alignedHeightsAreTheLeastThereAreAndProven() {
        for (long seed = 0; seed < 500; seed++) {
            List<BufferLifetime> buffers = tiny(seed, 7, 3);
            FoundLayout found = find(buffers, 0, WORK);
            assertThat(found.height()).as("seed %d", seed).isEqualTo(leastHeight(buffers));
            assertThat(found.isOptimal()).as("seed %d", seed).isTrue();
        }
    }

    @Test
    void aCapacityIsMetOrDisproved() {
        for (long seed : seeds().reversed().subList(0, 12)) {
            List<BufferLifetime> buffers = TightInstances.churn(seed, 11, 9);
            long least = leastHeight(buffers);
            assertThat(find(buffers, least, WORK).height()).as("seed %d", seed).isEqualTo(least);
            FoundLayout missed = find(buffers, least - 1, WORK);
            assertThat(missed.height()).as("seed %d", seed).isGreaterThanOrEqualTo(least);
            assertThat(missed.lowerBound()).as("seed %d", seed).isEqualTo(least);
        }
    }

    /** The height is known from how the instance was made, and greedy orders miss it. */
    @Test
    void tightInstancesOfHundredsOfBuffersAreSolved() {
        for (long seed = 0; seed < 4; seed++) {
            List<BufferLifetime> buffers = TightInstances.cut(seed, 250 + (int) seed * 50, 2000, 1 << 20, 0);
            FoundLayout found = find(buffers, 0, WORK);
            assertThat(found.height()).as("seed %d", seed).isEqualTo(1 << 20);
            assertThat(found.foundBy()).isEqualTo(Method.COMPLETE);
            assertThat(find(buffers, 0, WORK)).isEqualTo(found);
        }
    }

    /** As many as a training step of a thousand operations and more has, so that going straight for a layout counts. */
    @Test
    void thousandsOfBuffersAreSearchedCompletelyByLittleWork() {
        List<BufferLifetime> buffers = TightInstances.cut(0, 2500, 10_000, 1 << 24, 0);
        FoundLayout found = find(buffers, 0, 50_000_000);
        assertThat(found.foundBy()).isEqualTo(Method.COMPLETE);
    }

    /** A search that is short tries every capacity alike, and does not come to its end. */
    @Tag("slow")
    @Test
    void aLongSearchTriesMostForWhatIsLive() {
        List<BufferLifetime> buffers = TightInstances.cut(5, 300, 200, 256, 0.6);
        FoundLayout found = LowestLayout.find(buffers, new LayoutLimits(0, 1_000_000_000, SearchListener.NONE));
        assertThat(found.height()).isEqualTo(found.liveSum()).isEqualTo(256);
        FoundLayout soon = LowestLayout.find(buffers, new LayoutLimits(0, 20_000_000, SearchListener.NONE));
        assertThat(soon.height()).isGreaterThan(256);
    }

    @Test
    void effortIsBoundedAndTheBestIsKept() {
        List<BufferLifetime> buffers = TightInstances.cut(1, 300, 100, 256, 0.6);
        FoundLayout little = find(buffers, 0, 1);
        FoundLayout more = find(buffers, 0, 20_000_000);
        assertThat(little.foundBy()).isEqualTo(Method.GREEDY);
        assertThat(little.isOptimal()).isFalse();
        assertThat(more.height()).isLessThan(little.height());
        FoundLayout ended = LowestLayout.find(buffers, new LayoutLimits(0, Long.MAX_VALUE, new SearchListener() {
            @Override
            public void trying(String what) {}

            @Override
            public boolean expired() {
                return true;
            }
        }));
        assertThat(ended.foundBy()).isEqualTo(Method.GREEDY);
        assertThat(ended.height()).isGreaterThanOrEqualTo(little.height());
    }

    /** Halving the heights between comes by others only. What is low enough at once is not worth much work. */
    @Test
    void whatIsHopedForIsTriedFirst() {
        long work = 2_000_000;
        for (long seed : new long[] {2, 6, 7}) {
            List<BufferLifetime> buffers = TightInstances.cut(seed, 300, 200, 256, 0.6);
            FoundLayout plain = find(buffers, 0, work);
            assertThat(hoping(buffers, plain.height() - 4, work).height())
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo(plain.height() - 4);
            assertThat(hoping(buffers, 255, work)).isEqualTo(plain);
            assertThat(hoping(buffers, plain.height() + 1000, work).height())
                    .as("seed %d", seed)
                    .isBetween(plain.height(), plain.height() + 1000);
        }
    }

    private static FoundLayout hoping(List<BufferLifetime> buffers, long hoped, long work) {
        FoundLayout found = LowestLayout.find(buffers, new LayoutLimits(0, hoped, work, SearchListener.NONE));
        SoundLayout.check(buffers, false, found.offsets(), found.height(), found.liveSum());
        return found;
    }

    @Test
    void buffersFallApartWhereNoneIsLiveAndWhereOneLiesAtTheBottom() {
        List<BufferLifetime> buffers = List.of(
                buffer(0, 4, 5), buffer(0, 2, 1), buffer(2, 4, 1), buffer(1, 2, 9), buffer(4, 6, 2), buffer(5, 7, 3));
        long[] offsets = new long[buffers.size()];
        List<Components.Component> components = Components.of(Intervals.of(buffers), offsets);
        assertThat(components).hasSize(1);
        assertThat(components.getFirst().buffers()).containsExactly(4, 5);
        assertThat(components.getFirst().base()).isZero();
        assertThat(offsets).containsExactly(0, 5, 5, 6, 0, 0);
        long[] apart = new long[2];
        assertThat(Components.of(Intervals.of(List.of(buffer(0, 3, 1), buffer(2, 5, 1))), apart))
                .hasSize(1);
    }

    /** Sizes that are not all multiples of an alignment cannot change places, so nothing is put at the bottom ahead. */
    @Test
    void alignedBuffersStayTogether() {
        List<BufferLifetime> buffers =
                List.of(new BufferLifetime("odd", 0, 2, 3, 1), new BufferLifetime("aligned", 0, 1, 4, 4));
        long[] offsets = new long[2];
        assertThat(Components.of(Intervals.unrounded(buffers), offsets)).hasSize(1);
        assertThat(find(buffers, 0, WORK).height()).isEqualTo(7);
    }
}
