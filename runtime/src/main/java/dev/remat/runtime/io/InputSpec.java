package dev.remat.runtime.io;

import dev.remat.ir.DType;
import java.util.List;
import java.util.OptionalLong;

/**
 * What a model wants to be fed under one name.
 *
 * @param shape constant extents, the batch first
 * @param bound integers count from 0 to below it (a vocabulary's or label set's size); 0 where nothing is known
 * @param ignored an integer that may stand there besides, for a target that does not count
 */
public record InputSpec(String name, DType dtype, List<Long> shape, long bound, OptionalLong ignored) {
    public InputSpec {
        shape = List.copyOf(shape);
        if (bound < 0) {
            throw new IllegalArgumentException("negative bound " + bound);
        }
    }

    public InputSpec(String name, DType dtype, List<Long> shape, long bound) {
        this(name, dtype, shape, bound, OptionalLong.empty());
    }

    public long elements() {
        return shape.stream().reduce(1L, Math::multiplyExact);
    }

    /** How many samples a batch takes of it: the first extent, 1 for a scalar. */
    public long rows() {
        return shape.isEmpty() ? 1 : Math.max(1, shape.getFirst());
    }

    /** As the model file writes it: {@code tokens: i32[8, 64]}. */
    @Override
    public String toString() {
        return name + ": " + dtype.label() + shape;
    }
}
