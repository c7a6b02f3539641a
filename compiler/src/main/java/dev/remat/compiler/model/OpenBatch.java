package dev.remat.compiler.model;

import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.split.BatchRows;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.ModelException;
import java.util.List;
import java.util.Optional;

/** A model over the symbol that counts the rows of its batch: the one with which the shapes of all data begin. */
record OpenBatch(String symbol, ElaboratedModel model) {
    /** Empty if it is not that symbol, or the model needs the number. */
    static Optional<OpenBatch> over(String symbol, Purpose purpose, Bindings bindings, Elaborations elaborations) {
        return elaborations
                .find(purpose, bindings.leavingOpen(symbol))
                .filter(model -> BatchRows.of(model.forward()).areCountedBy(symbol))
                .map(model -> new OpenBatch(symbol, model));
    }

    /**
     * @param whole with all symbols bound
     * @param bindings that made it
     * @throws ModelException if nothing says which rows are the batch's (E0502)
     */
    static OpenBatch find(ElaboratedModel whole, Bindings bindings, Elaborations elaborations) {
        BatchRows rows = BatchRows.of(whole.forward());
        Optional<Diagnostic> needsNumber = Optional.empty();
        for (String symbol : rows.candidates(whole.extents())) {
            try {
                ElaboratedModel open = elaborations.of(whole.purpose(), bindings.leavingOpen(symbol));
                if (BatchRows.of(open.forward()).areCountedBy(symbol)) {
                    return new OpenBatch(symbol, open);
                }
            } catch (ModelException e) {
                needsNumber = needsNumber.or(
                        () -> Optional.of(needsNumber(symbol, e.diagnostics().getFirst())));
            }
        }
        throw new ModelException(List.of(needsNumber.orElseGet(() -> Diagnostic.error(
                "E0502",
                rows.odd(),
                "the batch cannot be cut into micro-batches: no symbol counts its rows",
                "the shapes of all inputs must begin with one symbol, such as f32[B, 3]"))));
    }

    /** The model cannot be elaborated without the number of its rows, though it can with it. */
    private static Diagnostic needsNumber(String symbol, Diagnostic why) {
        return Diagnostic.error(
                        "E0502",
                        why.location(),
                        "the batch cannot be cut into micro-batches: over any number of rows " + symbol + ", "
                                + why.message(),
                        "tensors may be multiplied with " + symbol + " and divided by it, as in sum(x) / " + symbol
                                + "; nothing else in the model's body may need the number of rows")
                .underlining(why.length());
    }
}
