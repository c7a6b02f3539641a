package dev.remat.runtime.io;

import dev.remat.ir.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a model wants to be fed under one name.
 *
 * @param shape constant extents, the batch first
 * @param ranges of integers: one for every column, which is an element's place in its sample, or one for all
 */
public record InputSpec(String name, DType dtype, List<Long> shape, List<IndexRange> ranges) {
    public InputSpec {
        shape = List.copyOf(shape);
        ranges = List.copyOf(ranges);
        if (ranges.size() != 1 && ranges.size() != columns(shape)) {
            throw new IllegalArgumentException(ranges.size() + " ranges for " + columns(shape) + " columns");
        }
    }

    /** One range for all. */
    public InputSpec(String name, DType dtype, List<Long> shape, IndexRange range) {
        this(name, dtype, shape, List.of(range));
    }

    /** Of floats, or of integers that may be anything. */
    public InputSpec(String name, DType dtype, List<Long> shape) {
        this(name, dtype, shape, IndexRange.ANY);
    }

    private static long columns(List<Long> shape) {
        return shape.stream().skip(1).reduce(1L, Math::multiplyExact);
    }

    public long elements() {
        return shape.stream().reduce(1L, Math::multiplyExact);
    }

    /** How many samples a batch takes of it: the first extent, 1 for a scalar. */
    public long rows() {
        return shape.isEmpty() ? 1 : Math.max(1, shape.getFirst());
    }

    /** What is wanted of each of several pieces with as many samples. */
    public InputSpec inPieces(int pieces) {
        if (pieces == 1) {
            return this;
        }
        List<Long> each = new ArrayList<>(shape);
        each.set(0, shape.getFirst() / pieces);
        return new InputSpec(name, dtype, each, ranges);
    }

    /** How many elements a sample has. */
    public long columns() {
        return columns(shape);
    }

    /** What integers of a column may be. */
    public IndexRange range(long column) {
        return ranges.get(ranges.size() == 1 ? 0 : Math.toIntExact(column));
    }

    /** A column where ranges differ: {@code tokens[:, 3]}; else the name alone. */
    public String column(long column) {
        if (ranges.size() == 1) {
            return name;
        }
        List<Long> places = new ArrayList<>();
        long rest = column;
        for (int axis = shape.size() - 1; axis > 0; axis--) {
            places.addFirst(rest % shape.get(axis));
            rest /= shape.get(axis);
        }
        return places.stream().map(String::valueOf).collect(Collectors.joining(", ", name + "[:, ", "]"));
    }

    /** As the model file writes it: {@code tokens: i32[8, 64]}. */
    @Override
    public String toString() {
        return name + ": " + dtype.label() + shape;
    }
}
