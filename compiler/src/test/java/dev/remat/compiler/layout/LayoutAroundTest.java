package dev.remat.compiler.layout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.plan.ArenaLayout;
import dev.remat.ir.plan.BufferLifetime;
import java.util.List;
import org.junit.jupiter.api.Test;

class LayoutAroundTest {
    private static BufferLifetime buffer(String id, int lower, int upper, long size) {
        return new BufferLifetime(id, lower, upper, size, 4);
    }

    /** Kept: [8, 16) and [32, 40). Of the rest, b and c never meet and take the gap of 16 between; a fits below. */
    @Test
    void fillsTheGapsBetweenWhatHasItsPlace() {
        List<BufferLifetime> buffers = List.of(
                buffer("kept", 0, 4, 8),
                buffer("a", 0, 4, 8),
                buffer("b", 0, 2, 16),
                buffer("c", 2, 4, 13),
                buffer("also", 0, 4, 8));
        ArenaLayout layout = LayoutAround.find(buffers, new long[] {8, -1, -1, -1, 32});
        assertThat(layout.offsets()).containsExactly(8L, 0L, 16L, 16L, 32L);
        assertThat(layout.height()).isEqualTo(40);
        assertThat(layout.lowerBound()).isEqualTo(40);
    }

    @Test
    void whatFitsNoGapLiesAbove() {
        List<BufferLifetime> buffers = List.of(buffer("kept", 0, 2, 8), buffer("large", 0, 2, 20));
        ArenaLayout layout = LayoutAround.find(buffers, new long[] {16, -1});
        assertThat(layout.offsets()).containsExactly(16L, 24L);
        assertThat(layout.height()).isEqualTo(44);
    }

    @Test
    void placesMayBeMissing() {
        List<BufferLifetime> buffers = List.of(buffer("a", 0, 1, 8), buffer("b", 1, 2, 8));
        assertThat(LayoutAround.find(buffers, new long[] {-1, -1}).height()).isEqualTo(8);
    }
}
