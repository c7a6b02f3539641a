package dev.remat.tests.steps;

import dev.remat.ir.DType;
import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.tests.reference.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;

/** Tensors that lie in their buffers in every way that a plan's reads may. */
final class RandomViews {
    private final Random random;

    RandomViews(Random random) {
        this.random = random;
    }

    /** A tensor of this type: dense, shifted, transposed, repeated, or cut out of a larger one. */
    StepSample.Source of(DType dtype, long... extents) {
        return switch (random.nextInt(6)) {
            case 0, 1 -> StepSample.Source.dense(buffer(dtype, extents));
            case 2 -> shifted(dtype, extents);
            case 3 -> transposed(dtype, extents);
            case 4 -> repeated(dtype, extents);
            default -> cut(dtype, extents);
        };
    }

    private Tensor buffer(DType dtype, long... extents) {
        return dtype == DType.BOOL ? bools(extents) : OpCases.random(random, dtype, extents);
    }

    private Tensor bools(long... extents) {
        Tensor tensor = Tensor.zeros(TensorType.of(DType.BOOL, extents));
        for (int i = 0; i < tensor.data().length; i++) {
            tensor.data()[i] = random.nextInt(2);
        }
        return tensor;
    }

    /** Begins somewhere in its buffer, seldom at a multiple of 16 bytes. */
    private StepSample.Source shifted(DType dtype, long... extents) {
        StridedView dense = StridedView.dense(Shape.of(extents));
        long shift = 1 + random.nextInt(9);
        Tensor buffer = buffer(dtype, shift + dense.elements() + random.nextInt(3));
        return new StepSample.Source(buffer, new StridedView(shift, dense.extents(), dense.strides()));
    }

    private StepSample.Source transposed(DType dtype, long... extents) {
        List<Integer> order = new ArrayList<>();
        for (int axis = 0; axis < extents.length; axis++) {
            order.add(axis);
        }
        Collections.shuffle(order, random);
        long[] stored = new long[extents.length];
        for (int axis = 0; axis < extents.length; axis++) {
            stored[order.get(axis)] = extents[axis];
        }
        return new StepSample.Source(
                buffer(dtype, stored), StridedView.dense(Shape.of(stored)).transpose(order));
    }

    private StepSample.Source repeated(DType dtype, long... extents) {
        long[] stored = LongStream.of(extents)
                .map(extent -> random.nextBoolean() ? 1 : extent)
                .toArray();
        List<Long> sizes = LongStream.of(extents).boxed().toList();
        return new StepSample.Source(
                buffer(dtype, stored), StridedView.dense(Shape.of(stored)).broadcast(sizes));
    }

    private StepSample.Source cut(DType dtype, long... extents) {
        List<Long> starts = new ArrayList<>();
        long[] stored = new long[extents.length];
        for (int axis = 0; axis < extents.length; axis++) {
            long before = random.nextInt(3);
            starts.add(before);
            stored[axis] = before + extents[axis] + random.nextInt(3);
        }
        StridedView view = StridedView.dense(Shape.of(stored))
                .slice(starts, LongStream.of(extents).boxed().toList());
        return new StepSample.Source(buffer(dtype, stored), view);
    }
}
