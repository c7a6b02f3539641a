package dev.remat.compiler.forward;

import dev.remat.compiler.elaborate.ElaboratedModel;
import java.util.List;

/**
 * A model that computes a few positions of a text from those before them, whose keys and values are kept.
 *
 * @param model over a symbol for the number of new positions; its state has the kept tensors, zeros where there is no
 *     position yet
 * @param positions name of the input with the numbers of the new positions, i64
 * @param kept what is kept of all positions
 */
public record Continuation(ElaboratedModel model, String positions, List<Kept> kept) {
    public Continuation {
        kept = List.copyOf(kept);
    }

    /**
     * A tensor with a row for each position.
     *
     * @param name of the state, of the whole window, and of the output with the rows of the new positions, which have
     *     to be put into it before the next are computed
     * @param axis along which the rows lie
     */
    public record Kept(String name, int axis) {}

    /** The same for so many new positions. */
    public ElaboratedModel at(String symbol, long positions) {
        return model.bind(symbol, positions)
                .orElseThrow(() -> new IllegalStateException(positions + " positions of " + model.name()));
    }
}
