package dev.remat.compiler.onnx;

import java.util.Optional;

/**
 * How one of the model's tensors is had from a weight.
 *
 * @param weight its name
 * @param transposed whether rows and columns are exchanged first
 * @param rows which ones are taken then; all if empty
 */
public record WeightUse(String weight, boolean transposed, Optional<Rows> rows) {
    /** From {@code begin} up to but not {@code end}. */
    public record Rows(long begin, long end) {}

    /** The weight as it is. */
    public static WeightUse whole(String weight) {
        return new WeightUse(weight, false, Optional.empty());
    }
}
