package dev.remat.compiler.layout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.plan.BufferLifetime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CoarseSearchTest {
    private static final long WORK = 20_000_000;

    /** Large and small ones, some that live throughout, and alignments of several kinds. */
    private static List<BufferLifetime> manifold(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<BufferLifetime> buffers = new ArrayList<>(LargeBuffersTest.mixed(seed, 600));
        for (int i = 0; i < 20; i++) {
            long alignment = 1L << random.nextInt(9);
            buffers.add(new BufferLifetime("whole", 0, 400, 1 + random.nextInt(3000), alignment));
            int lower = random.nextInt(380);
            buffers.add(new BufferLifetime("odd", lower, lower + 20, 1 + random.nextInt(3000), alignment));
        }
        return buffers;
    }

    private static boolean run(CoarseSearch search, long capacity) {
        return search.run(capacity, WORK, WORK, () -> false);
    }

    @Test
    void whatIsFoundIsALayout() {
        for (long seed = 0; seed < 20; seed++) {
            List<BufferLifetime> buffers = manifold(seed);
            Intervals intervals = Intervals.unrounded(buffers);
            long live = intervals.largestLiveSum();
            for (long part : new long[] {10, 100, 100_000}) {
                CoarseSearch search = new CoarseSearch(intervals, live * 3 / 2, part);
                assertThat(run(search, live * 3 / 2))
                        .as("seed %d, %d", seed, part)
                        .isTrue();
                long[] offsets = search.offsets();
                List<Long> found = Arrays.stream(offsets).boxed().toList();
                SoundLayout.check(buffers, false, found, intervals.height(offsets), live);
            }
        }
    }

    @Test
    void smallOnesAndThoseThatLiveThroughoutAreNotSearchedFor() {
        List<BufferLifetime> buffers = manifold(1);
        Intervals intervals = Intervals.unrounded(buffers);
        long large = buffers.stream().filter(b -> b.size() > 10_000).count();
        long height = intervals.largestLiveSum();
        assertThat(new CoarseSearch(intervals, height, 10).count()).isEqualTo((int) large);
        assertThat(new CoarseSearch(intervals, height, 1_000_000).count()).isEqualTo(buffers.size() - 20);
    }

    /** Each of these sizes is rounded up by nearly a unit. */
    @Test
    void whatSizesWereRoundedUpByIsTakenBack() {
        List<BufferLifetime> buffers = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            buffers.add(new BufferLifetime("b", i, i + 40, 1_000_001, 1));
        }
        buffers.add(new BufferLifetime("b", 0, 1, 1, 1));
        Intervals intervals = Intervals.unrounded(buffers);
        long live = 40 * 1_000_001L;
        CoarseSearch search = new CoarseSearch(intervals, live, 1000);
        assertThat(run(search, live)).isFalse();
        assertThat(run(search, live + live / 50)).isTrue();
        assertThat(intervals.height(search.offsets())).isEqualTo(live);
        assertThat(run(search, live / 2)).isFalse();
    }

    /** Large ones that fill all there is, and small ones for which there is hardly room. */
    @Test
    void layoutsAreLowerThanInGreedyOrders() {
        int lower = 0;
        for (long seed = 0; seed < 10; seed++) {
            List<BufferLifetime> buffers = new ArrayList<>(TightInstances.cut(seed, 150, 2000, 1 << 20, 0));
            SplittableRandom random = new SplittableRandom(seed);
            for (int i = 0; i < 300; i++) {
                int at = random.nextInt(1980);
                buffers.add(new BufferLifetime("small", at, at + 1 + random.nextInt(19), 1 + random.nextInt(64), 1));
            }
            Intervals intervals = Intervals.unrounded(buffers);
            GreedyLayouts greedy = new GreedyLayouts(intervals, intervals.largestLiveSum());
            greedy.placeInEveryOrder(() -> false);
            CoarseSearch search = new CoarseSearch(intervals, greedy.height(), 1000);
            boolean found = run(search, (1 << 20) * 102L / 100);
            lower += found && intervals.height(search.offsets()) < greedy.height() ? 1 : 0;
        }
        assertThat(lower).isGreaterThanOrEqualTo(8);
    }
}
