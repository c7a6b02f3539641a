package dev.remat.compiler.split;

import dev.remat.compiler.batch.MicroBatches;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.ModelException;

/** For who wants the numbers of the whole batch and nothing else: no batch norm may see a micro-batch. */
public final class RefuseBatchNorms {
    private static final int MOST = 20;
    private static final String WAY_OUT = "group_norm and layer_norm work on each row by itself";

    private RefuseBatchNorms() {}

    /** @throws ModelException if the model is cut and normalizes by micro-batches (E0504) */
    public static void run(ElaboratedModel model) {
        model.microBatches().filter(cut -> !cut.normalized().isEmpty()).ifPresent(cut -> {
            throw new ModelException(cut.normalized().stream()
                    .limit(MOST)
                    .map(place -> Diagnostic.error("E0504", place, message(cut), WAY_OUT))
                    .toList());
        });
    }

    private static String message(MicroBatches cut) {
        return "batch_norm would normalize %d micro-batches of %d rows each by themselves, not all %s = %d rows"
                .formatted(cut.count(), cut.rowsEach(), cut.symbol(), cut.rows());
    }
}
