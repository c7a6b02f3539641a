package dev.remat.compiler.layout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.plan.BufferLifetime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PartialLayoutTest {
    /** @param buffers lower, upper and size of each */
    private static PartialLayout layout(long capacity, int[]... buffers) {
        List<BufferLifetime> lifetimes = new ArrayList<>();
        for (int[] b : buffers) {
            lifetimes.add(new BufferLifetime("b" + lifetimes.size(), b[0], b[1], b[2], 1));
        }
        Sections sections = new Sections(
                Intervals.of(lifetimes), IntStream.range(0, buffers.length).toArray());
        return new PartialLayout(sections, capacity);
    }

    private static int[] buffer(int lower, int upper, int size) {
        return new int[] {lower, upper, size};
    }

    /** Two full steps: on a buffer of 1 in the first, the one that has both would leave 1 bare in the second. */
    @Test
    void inAFullSectionBuffersBeginAtSumsOfSizes() {
        PartialLayout layout = layout(9, buffer(0, 1, 1), buffer(0, 1, 4), buffer(1, 2, 5), buffer(0, 2, 4));
        assertThat(layout.begin()).isTrue();
        assertThat(layout.offset(3)).isZero();
        assertThat(layout.place(0)).isTrue();
        assertThat(layout.offset(3)).isEqualTo(5);
        assertThat(layout.conflict().isEmpty()).isFalse();
    }

    @Test
    void whereThereIsRoomTheyBeginAnywhere() {
        PartialLayout layout = layout(10, buffer(0, 1, 1), buffer(0, 1, 4), buffer(1, 2, 5), buffer(0, 2, 4));
        assertThat(layout.begin()).isTrue();
        assertThat(layout.place(0)).isTrue();
        assertThat(layout.offset(3)).isEqualTo(1);
        assertThat(layout.conflict().isEmpty()).isTrue();
    }

    /** Of {@code capacity} 7 every step is full: the first buffer at the bottom leaves the other two to the second. */
    private static PartialLayout threeSteps(long capacity) {
        PartialLayout layout = layout(capacity, buffer(0, 1, 5), buffer(1, 3, 5), buffer(0, 2, 2), buffer(2, 3, 2));
        assertThat(layout.begin()).isTrue();
        assertThat(layout.mayLieAtLevel(3, 2)).isTrue();
        assertThat(layout.place(0)).isTrue();
        assertThat(layout.offset(1)).isZero();
        assertThat(layout.offset(2)).isEqualTo(5);
        return layout;
    }

    @Test
    void onAFullFloorBuffersLieSideBySide() {
        PartialLayout layout = threeSteps(7);
        assertThat(layout.offset(3)).isEqualTo(5);
        assertThat(layout.effect().to()).isEqualTo(3);
    }

    @Test
    void whereThereIsRoomTheFloorMayHaveGaps() {
        PartialLayout layout = threeSteps(8);
        assertThat(layout.offset(3)).isZero();
        assertThat(layout.effect().to()).isEqualTo(1);
    }

    @Test
    void whatIsTakenBackIsAsBefore() {
        PartialLayout layout = layout(9, buffer(0, 1, 1), buffer(0, 1, 4), buffer(1, 2, 5), buffer(0, 2, 4));
        assertThat(layout.begin()).isTrue();
        int mark = layout.mark();
        assertThat(layout.place(0)).isTrue();
        layout.undoTo(mark);
        assertThat(layout.offset(3)).isZero();
        assertThat(layout.level(0)).isZero();
        assertThat(layout.choices(0)).isEqualTo(3);
    }
}
