package dev.remat.cli.report;

import dev.remat.compiler.batch.MicroBatches;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.ir.diagnostic.Count;
import java.util.Optional;

/** That batch norms see a micro-batch in place of the batch, the one thing of a step that cutting it changes. */
public final class NormalizedRows {
    private NormalizedRows() {}

    /** How many rows are normalized together; empty where no batch norm sees less than the batch. */
    static Optional<Long> of(ElaboratedModel model) {
        return model.microBatches().filter(cut -> !cut.normalized().isEmpty()).map(MicroBatches::rowsEach);
    }

    /** Tells it in one row of label, amount and words. */
    public static void tell(ElaboratedModel model, Table table) {
        of(model)
                .ifPresent(rows ->
                        table.row("batch norm", Count.of(rows, "row"), "at a time, of each micro-batch by itself"));
    }
}
