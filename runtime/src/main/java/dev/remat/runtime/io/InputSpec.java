package dev.remat.runtime.io;

import dev.remat.ir.DType;
import java.util.List;

/**
 * What a model wants to be fed under one name.
 *
 * @param shape constant extents, the batch first
 * @param bound integers must lie below it (a vocabulary's or label set's size); 0 where nothing is known
 */
public record InputSpec(String name, DType dtype, List<Long> shape, long bound) {
    public InputSpec {
        shape = List.copyOf(shape);
        if (bound < 0) {
            throw new IllegalArgumentException("negative bound " + bound);
        }
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
