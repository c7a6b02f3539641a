package dev.remat.ir;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Extents of a tensor's axes, outermost first; row-major. A scalar has no axes. */
public record Shape(List<Dim> dims) {
    public static final Shape SCALAR = new Shape(List.of());

    public Shape {
        dims = List.copyOf(dims);
    }

    public static Shape of(long... dims) {
        return new Shape(LongStream.of(dims).mapToObj(Dim::of).toList());
    }

    public int rank() {
        return dims.size();
    }

    public Dim dim(int axis) {
        return dims.get(axis);
    }

    public boolean isStatic() {
        for (Dim dim : dims) {
            if (!dim.isConstant()) {
                return false;
            }
        }
        return true;
    }

    /** Number of elements, 1 for a scalar. */
    public Dim elements() {
        Dim product = Dim.ONE;
        for (Dim dim : dims) {
            product = product.times(dim);
        }
        return product;
    }

    /** Extents as numbers; the shape must be static. */
    public long[] toArray() {
        return dims.stream().mapToLong(Dim::value).toArray();
    }

    /** This shape with the extent of one axis replaced. */
    public Shape with(int axis, Dim dim) {
        List<Dim> changed = new ArrayList<>(dims);
        changed.set(axis, dim);
        return new Shape(changed);
    }

    /** This shape with extent 1 at each of {@code axes}. */
    public Shape reduced(List<Integer> axes) {
        List<Dim> changed = new ArrayList<>(dims);
        axes.forEach(axis -> changed.set(axis, Dim.ONE));
        return new Shape(changed);
    }

    @Override
    public String toString() {
        return dims.stream().map(Dim::toString).collect(Collectors.joining(", ", "[", "]"));
    }
}
