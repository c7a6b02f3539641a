package dev.remat.compiler.chunk;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the rows of a loss lie in a tensor: along the axes in front whose extents multiply to their number, as in
 * {@code [B·T, D]} and {@code [B, T, D]}. Shapes are static.
 *
 * @param count of the rows
 */
record RowAxes(long count) {
    /** How many axes in front are the rows; 0 where they are not. */
    int in(TensorType type) {
        long product = 1;
        for (int axis = 0; axis < type.rank(); axis++) {
            product *= type.dim(axis).value();
            if (product == count) {
                return axis + 1;
            }
        }
        return 0;
    }

    boolean areIn(TensorType type) {
        return in(type) > 0;
    }

    /** Elements of a row. */
    long width(TensorType type) {
        return type.elements() / count;
    }

    /** Of a tensor with the rows, or with axes of extent 1 in the place of {@code axes} of them: the type of others. */
    static TensorType of(TensorType type, int axes, long rows) {
        List<Dim> dims = new ArrayList<>(List.of(Dim.of(rows)));
        dims.addAll(type.shape().dims().subList(axes, type.rank()));
        return type.with(new Shape(dims));
    }

    /** Whether the first {@code axes} have extent 1. */
    static boolean repeat(TensorType type, int axes) {
        return type.rank() >= axes
                && type.shape().dims().subList(0, axes).stream().allMatch(dim -> dim.is(1));
    }
}
