package dev.remat.codegen.cuda.family.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.family.reduce.ReductionShape.Axis;
import dev.remat.ir.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReductionShapeTest {
    private static ReductionShape shape(DType type, List<Integer> axes, long... dims) {
        return ReductionShape.of(dims, axes, type);
    }

    /** What {@code Walk} in reduce.cuh computes. */
    private static long walk(List<Axis> axes, long i) {
        long at = 0;
        for (int l = 0; l < axes.size() - 1; l++) {
            at += i % axes.get(l).extent() * axes.get(l).stride();
            i /= axes.get(l).extent();
        }
        return at + i * axes.getLast().stride();
    }

    private static long count(List<Axis> axes) {
        return axes.stream().mapToLong(Axis::extent).reduce(1, (a, b) -> a * b);
    }

    @Test
    void rowsOfALayerAreReducedByAWarpEach() {
        ReductionShape shape = shape(DType.BF16, List.of(2), 64, 1024, 768);
        assertThat(shape.rows()).isTrue();
        assertThat(shape.width()).isEqualTo(8);
        assertThat(shape.kept()).containsExactly(new Axis(65536, 768));
        assertThat(shape.reduced()).containsExactly(new Axis(96, 8));
        assertThat(shape.across()).isEqualTo(8);
        assertThat(shape.splits()).isEqualTo(1);
        assertThat(shape.blocks()).isEqualTo(8192);
    }

    @Test
    void aBiasGradientReducesColumnsInSplits() {
        ReductionShape shape = shape(DType.BF16, List.of(0, 1), 64, 1024, 768);
        assertThat(shape.rows()).isFalse();
        assertThat(shape.kept()).containsExactly(new Axis(96, 8));
        assertThat(shape.reduced()).containsExactly(new Axis(65536, 768));
        assertThat(shape.outputs()).isEqualTo(768);
        assertThat(shape.elements()).isEqualTo(65536);
        assertThat(shape.blocks()).isBetween(256L, 1024L);
    }

    @Test
    void planesOfAChannelAreWalkedOverAllImages() {
        ReductionShape shape = shape(DType.F32, List.of(0, 2, 3), 256, 64, 56, 56);
        assertThat(shape.kept()).containsExactly(new Axis(64, 3136));
        assertThat(shape.reduced()).containsExactly(new Axis(784, 4), new Axis(256, 64 * 3136));
        assertThat(shape.elements()).isEqualTo(256 * 3136);
    }

    @Test
    void oddRowsAreTakenElementByElement() {
        assertThat(shape(DType.BF16, List.of(1), 12, 50257).width()).isEqualTo(1);
        assertThat(shape(DType.BF16, List.of(1), 12, 50258).width()).isEqualTo(2);
    }

    @Test
    void splitsCoverEverythingAndAreNotEmpty() {
        for (long n : new long[] {5_000, 65_536, 1_000_003, 12_345_678}) {
            ReductionShape shape = shape(DType.F32, List.of(0), n);
            long groups = count(shape.reduced());
            assertThat(shape.splits() * shape.chunk()).isGreaterThanOrEqualTo(groups);
            assertThat((shape.splits() - 1) * shape.chunk()).isLessThan(groups);
        }
    }

    @Test
    void whatFewThreadsFinishIsNotSplit() {
        assertThat(shape(DType.F32, List.of(0), 100).splits()).isEqualTo(1);
        assertThat(shape(DType.F32, List.of(0), 10_000_000).splits()).isGreaterThan(100);
        assertThat(shape(DType.F32, List.of(1), 100_000, 512).splits()).isEqualTo(1);
    }

    @Test
    void beyond31BitsIndicesAreWide() {
        assertThat(shape(DType.BF16, List.of(1), 65536, 32767).narrow()).isTrue();
        assertThat(shape(DType.BF16, List.of(1), 65536, 32768).narrow()).isFalse();
    }

    @Test
    void everyElementIsReducedOnceIntoItsOutput() {
        Random random = new Random(3);
        for (int round = 0; round < 300; round++) {
            long[] dims =
                    random.ints(1 + random.nextInt(5), 1, 7).asLongStream().toArray();
            List<Integer> axes = new ArrayList<>();
            for (int axis = 0; axis < dims.length; axis++) {
                if (random.nextBoolean()) {
                    axes.add(axis);
                }
            }
            check(dims, axes, ReductionShape.of(dims, axes, random.nextBoolean() ? DType.F32 : DType.BF16));
        }
    }

    private static void check(long[] dims, List<Integer> axes, ReductionShape shape) {
        int elements = (int) Arrays.stream(dims).reduce(1, (a, b) -> a * b);
        long[] found = new long[elements];
        Arrays.fill(found, -1);
        for (long o = 0; o < count(shape.kept()); o++) {
            for (long r = 0; r < count(shape.reduced()); r++) {
                long first = walk(shape.kept(), o) + walk(shape.reduced(), r);
                for (int lane = 0; lane < shape.width(); lane++) {
                    int index = (int) first + lane;
                    assertThat(found[index]).isEqualTo(-1);
                    found[index] = shape.rows() ? o : o * shape.width() + lane;
                }
            }
        }
        for (int index = 0; index < elements; index++) {
            assertThat(found[index])
                    .as("%s over %s at %d", Arrays.toString(dims), axes, index)
                    .isEqualTo(output(dims, axes, index));
        }
    }

    /** Row-major position among the kept axes. */
    private static long output(long[] dims, List<Integer> axes, long index) {
        long output = 0;
        long step = 1;
        for (int axis = dims.length - 1; axis >= 0; axis--) {
            if (!axes.contains(axis)) {
                output += index % dims[axis] * step;
                step *= dims[axis];
            }
            index /= dims[axis];
        }
        return output;
    }
}
