package dev.remat.cli.console;

import dev.remat.compiler.batch.MicroBatchOrder;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.ir.diagnostic.Count;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/** How titles name what a plan is of. */
public final class ModelTitle {
    private ModelTitle() {}

    /**
     * Such as {@code Gpt with B=16, T=128 in 8 micro-batches}.
     *
     * @param microBatches that a batch is cut into; nothing is said of one
     */
    public static String of(String model, SequencedMap<String, Long> symbols, int microBatches) {
        return of(model, symbols, microBatches == 1 ? "" : " in " + microBatches + " micro-batches");
    }

    /** Such as {@code Gpt with B=16, T=128 in 8 micro-batches of 2 rows}. */
    public static String of(ElaboratedModel model) {
        return of(
                model.forward().name(),
                model.extents(),
                model.microBatches()
                        .map(cut -> " in " + cut.count() + " micro-batches of " + Count.of(cut.rowsEach(), "row")
                                + (isByLayers(model) ? ", layer by layer" : ""))
                        .orElse(""));
    }

    private static boolean isByLayers(ElaboratedModel model) {
        return model.training().microBatchOrder() == MicroBatchOrder.BREADTH;
    }

    private static String of(String model, SequencedMap<String, Long> symbols, String cut) {
        String bound = symbols.entrySet().stream()
                .map(symbol -> symbol.getKey() + "=" + symbol.getValue())
                .collect(Collectors.joining(", "));
        return model + (bound.isEmpty() ? "" : " with " + bound) + cut;
    }
}
