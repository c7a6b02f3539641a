package dev.remat.compiler.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TilingTest {
    private static StridedView view(long offset, List<Long> extents, List<Long> strides) {
        return new StridedView(offset, extents, strides);
    }

    /** Rows of 3·8 elements that hold three heads of 2 columns from each of four parts. */
    private static List<StridedView> joined() {
        List<StridedView> parts = new ArrayList<>();
        for (long start = 0; start < 24; start += 6) {
            parts.add(view(start, List.of(2L, 3L, 5L, 2L), List.of(120L, 2L, 24L, 1L)));
        }
        return parts;
    }

    @Test
    void partsInAnyOrderOfAxesFill() {
        assertThat(Tiling.fills(List.of(view(0, List.of(), List.of())), 1)).isTrue();
        assertThat(Tiling.fills(List.of(view(0, List.of(3L, 4L), List.of(1L, 3L))), 12))
                .isTrue();
        assertThat(Tiling.fills(List.of(view(0, List.of(3L, 1L, 4L), List.of(4L, 99L, 1L))), 12))
                .isTrue();
        assertThat(Tiling.fills(joined(), 240)).isTrue();
        assertThat(Tiling.fills(joined().reversed(), 240)).isTrue();
        List<StridedView> unequal =
                List.of(view(4, List.of(5L, 2L), List.of(6L, 1L)), view(0, List.of(2L, 5L, 2L), List.of(2L, 6L, 1L)));
        assertThat(Tiling.fills(unequal, 30)).isTrue();
    }

    @Test
    void gapsAndOverlapsAreSeen() {
        assertThat(Tiling.fills(joined().subList(1, 4), 240)).isFalse();
        assertThat(Tiling.fills(joined(), 250)).isFalse();
        assertThat(Tiling.fills(List.of(view(1, List.of(3L, 4L), List.of(4L, 1L))), 12))
                .isFalse();
        assertThat(Tiling.fills(List.of(view(0, List.of(3L, 4L), List.of(4L, 2L))), 12))
                .isFalse();
        assertThat(Tiling.fills(List.of(view(0, List.of(3L, 4L), List.of(0L, 1L))), 4))
                .isFalse();
        assertThat(Tiling.fills(List.of(view(11, List.of(12L), List.of(-1L))), 12))
                .isFalse();
        List<StridedView> twice = new ArrayList<>(joined());
        twice.set(2, twice.get(1));
        assertThat(Tiling.fills(twice, 240)).isFalse();
    }

    /** Strides whose products go around 64 bits. */
    @Test
    void nothingFillsBeyondTheBuffer() {
        assertThat(Tiling.fills(List.of(view(0, List.of(4L), List.of(1L << 62))), 0))
                .isFalse();
        assertThat(Tiling.fills(List.of(view(0, List.of(1L << 33, 4L), List.of(1L << 31, 1L))), 4))
                .isFalse();
    }

    /** Slices of a permuted box fill it; the same with one of them moved do not. */
    @Test
    void agreesWithCounting() {
        Random random = new Random(3);
        for (int round = 0; round < 300; round++) {
            List<Long> extents = new ArrayList<>();
            for (int axis = 0; axis < 3; axis++) {
                extents.add(1L + random.nextInt(4));
            }
            List<Integer> order = new ArrayList<>(List.of(0, 1, 2));
            Collections.shuffle(order, random);
            StridedView box = StridedView.dense(
                    Shape.of(extents.stream().mapToLong(Long::longValue).toArray()));
            int axis = random.nextInt(3);
            long cut = random.nextInt(Math.toIntExact(extents.get(axis)) + 1);
            List<StridedView> parts = new ArrayList<>();
            parts.add(slice(box, axis, 0, cut).transpose(order));
            parts.add(slice(box, axis, cut, extents.get(axis)));
            parts.removeIf(part -> part.elements() == 0);
            if (random.nextBoolean()) {
                StridedView part = parts.getFirst();
                parts.set(0, view(part.offset() + random.nextInt(3), part.extents(), part.strides()));
            }
            assertThat(Tiling.fills(parts, box.elements()))
                    .as("%s", parts)
                    .isEqualTo(counts(parts, Math.toIntExact(box.elements())));
        }
    }

    private static StridedView slice(StridedView box, int axis, long from, long to) {
        List<Long> starts = new ArrayList<>(Collections.nCopies(3, 0L));
        List<Long> sizes = new ArrayList<>(box.extents());
        starts.set(axis, from);
        sizes.set(axis, to - from);
        return box.slice(starts, sizes);
    }

    private static boolean counts(List<StridedView> parts, int elements) {
        int[] written = new int[elements];
        for (StridedView part : parts) {
            for (long i = 0; i < part.elements(); i++) {
                long at = part.offset();
                long rest = i;
                for (int axis = part.rank() - 1; axis >= 0; axis--) {
                    at += rest % part.extents().get(axis) * part.strides().get(axis);
                    rest /= part.extents().get(axis);
                }
                if (at < 0 || at >= elements || written[Math.toIntExact(at)]++ > 0) {
                    return false;
                }
            }
        }
        for (int count : written) {
            if (count == 0) {
                return false;
            }
        }
        return true;
    }
}
