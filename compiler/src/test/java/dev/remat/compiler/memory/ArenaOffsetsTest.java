package dev.remat.compiler.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.layout.Instances;
import dev.remat.compiler.layout.Intervals;
import dev.remat.compiler.layout.PlacementOrder;
import dev.remat.compiler.layout.SoundLayout;
import dev.remat.ir.plan.ArenaLayout;
import dev.remat.ir.plan.BufferLifetime;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArenaOffsetsTest {
    private static BufferLifetime buffer(int lower, int upper, long size) {
        return new BufferLifetime("b" + lower + "-" + upper, lower, upper, size, 1);
    }

    private static void assertSound(List<BufferLifetime> buffers, ArenaLayout layout) {
        SoundLayout.check(buffers, true, layout.offsets(), layout.height(), layout.lowerBound());
    }

    @Test
    void reusesMemoryOfWhatIsGoneAndStacksWhatIsLive() {
        List<BufferLifetime> buffers = List.of(buffer(0, 2, 10), buffer(2, 4, 10), buffer(1, 3, 5));
        ArenaLayout layout = ArenaOffsets.layout(buffers);
        assertSound(buffers, layout);
        assertThat(layout.height()).isEqualTo(15);
    }

    @Test
    void nothingNeedsNoMemory() {
        assertThat(ArenaOffsets.layout(List.of()).height()).isZero();
        assertThat(ArenaOffsets.layout(List.of(buffer(0, 1, 0))).height()).isZero();
    }

    @Test
    void roundsSizesUpToTheirAlignment() {
        List<BufferLifetime> buffers = List.of(
                new BufferLifetime("a", 0, 2, 1, 256),
                new BufferLifetime("b", 0, 2, 257, 256),
                new BufferLifetime("c", 1, 2, 8, 8));
        ArenaLayout layout = ArenaOffsets.layout(buffers);
        assertSound(buffers, layout);
        assertThat(layout.lowerBound()).isEqualTo(256 + 512 + 8);
    }

    @Test
    void whatLivesThroughoutLiesAtTheBottom() {
        List<BufferLifetime> buffers =
                List.of(buffer(0, 5, 3), buffer(5, 10, 100), buffer(0, 10, 7), buffer(2, 9, 50), buffer(0, 10, 2));
        ArenaLayout layout = ArenaOffsets.layout(buffers);
        assertSound(buffers, layout);
        assertThat(List.of(layout.offset(2), layout.offset(4))).containsExactlyInAnyOrder(0L, 7L);
    }

    @Test
    void randomBuffersLoseLittleBecauseOrdersAreRepaired() {
        int greedyMisses = 0;
        for (long seed = 0; seed < 40; seed++) {
            List<BufferLifetime> buffers = Instances.random(seed, 120, 40);
            ArenaLayout layout = ArenaOffsets.layout(buffers);
            assertSound(buffers, layout);
            assertThat(layout.fragmentation()).as("seed %d", seed).isLessThan(1.02);
            Intervals intervals = Intervals.of(buffers);
            PlacementOrder greedy = new PlacementOrder(
                    intervals, PlacementOrder.Method.FIRST_FIT, Comparator.comparingLong(b -> -intervals.size[b]));
            greedyMisses += intervals.height(greedy.place().offsets()) > 1.02 * layout.lowerBound() ? 1 : 0;
        }
        assertThat(greedyMisses).isPositive();
    }

    @Test
    void trainingStepsLoseLessThanTwoPercent() {
        Instances.trainingSteps().forEach((name, buffers) -> {
            ArenaLayout layout = ArenaOffsets.layout(buffers);
            assertSound(buffers, layout);
            assertThat(layout.fragmentation()).as(name).isLessThanOrEqualTo(1.02);
        });
    }

    @Test
    void manyBuffersOfAnySortAreSoundAndTheSameAgain() {
        List<BufferLifetime> buffers = Instances.random(3, 10_000, 10_000);
        ArenaLayout layout = ArenaOffsets.layout(buffers);
        assertSound(buffers, layout);
        assertThat(layout.fragmentation()).isLessThan(1.06);
        assertThat(ArenaOffsets.layout(buffers)).isEqualTo(layout);
    }
}
