package dev.remat.ir.graph;

/**
 * Says that a tensor is some rows of another, which outlives steps in pieces; how many is told by its type.
 *
 * @param tensor name of the whole
 * @param from the first row, along axis 0
 */
public record RowsOf(String tensor, long from) {
    public RowsOf {
        if (from < 0) {
            throw new IllegalArgumentException("no row " + from + " of '" + tensor + "'");
        }
    }
}
