package dev.remat.compiler.model;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.split.BatchRows;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.diagnostic.ModelException;
import java.util.Optional;

/**
 * A model by the extent of one symbol: elaborated once over the symbol and then bound, where that is possible. A model
 * that needs the number, such as for the length of a loop, is elaborated for every extent. Where its training says so,
 * its batch is cut.
 */
public final class ModelByExtent {
    private final String symbol;
    private final ModelSession others;
    private final Purpose purpose;
    /** Empty: either a number is needed, or elaboration with one tells the same mistake. */
    private final Optional<ElaboratedModel> open;

    /** @param others the model without an extent of the symbol */
    ModelByExtent(String symbol, ModelSession others, Purpose purpose) {
        this.symbol = symbol;
        this.others = others;
        this.purpose = purpose;
        this.open = others.find(purpose);
    }

    public String symbol() {
        return symbol;
    }

    /** The model over the symbol; empty where it needs the number. */
    Optional<ElaboratedModel> open() {
        return open;
    }

    /** Whether the symbol counts the rows of all data. */
    boolean isOfRows() {
        return open.filter(model -> BatchRows.of(model.forward()).areCountedBy(symbol))
                .isPresent();
    }

    /** What extents are multiples of: the number of micro-batches, if the symbol counts the rows that they share. */
    public int step() {
        return isOfRows() ? others.settings().on(open.orElseThrow()).training().microBatches() : 1;
    }

    /** @throws ModelException if the model is invalid with that extent */
    public ElaboratedModel with(long extent) {
        return others.at(symbol, extent, purpose, open).cut(purpose);
    }
}
