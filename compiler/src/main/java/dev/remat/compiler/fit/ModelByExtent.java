package dev.remat.compiler.fit;

import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.split.CutBatch;
import dev.remat.ir.diagnostic.ModelException;
import java.util.Optional;
import java.util.function.Function;

/**
 * A model by the extent of one symbol: elaborated once over the symbol and then bound, where that is possible. A model
 * that needs the number, such as for the length of a loop, is elaborated for every extent. Where its training says so,
 * its batch is cut.
 */
public final class ModelByExtent {
    private final String symbol;
    private final Bindings others;
    private final Function<Bindings, ElaboratedModel> elaborate;
    private final Optional<ElaboratedModel> open;

    /**
     * @param others what is set beside the symbol
     * @param elaborate makes the model with its settings
     */
    public ModelByExtent(String symbol, Bindings others, Function<Bindings, ElaboratedModel> elaborate) {
        this.symbol = symbol;
        this.others = others;
        this.elaborate = elaborate;
        this.open = overSymbol();
    }

    private Optional<ElaboratedModel> overSymbol() {
        try {
            return Optional.of(elaborate.apply(others));
        } catch (ModelException e) {
            // Either a number is needed, or elaboration with one tells the same mistake.
            return Optional.empty();
        }
    }

    String symbol() {
        return symbol;
    }

    /** What extents are multiples of: the number of micro-batches, if the symbol counts the rows that they share. */
    public int step() {
        return open.filter(model -> CutBatch.beginsAllData(symbol, model.forward()))
                .map(model -> model.training().microBatches())
                .orElse(1);
    }

    /** @throws ModelException if the model is invalid with that extent */
    public ElaboratedModel with(long extent) {
        // What is of extent 1 broadcasts, and a symbol does not. Other numbers may only make an operation trivial.
        Bindings bindings = others.with(symbol, String.valueOf(extent));
        ElaboratedModel whole = open.filter(model -> extent > 1)
                .flatMap(model -> model.bind(symbol, extent))
                .orElseGet(() -> elaborate.apply(bindings));
        return CutBatch.run(whole, bindings, elaborate);
    }
}
