package dev.remat.compiler.split;

import dev.remat.compiler.batch.Divisors;
import dev.remat.compiler.batch.MicroBatches;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.simplify.BindSymbols;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.graph.Graph;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/** Cuts the batch of a model into micro-batches, for which its graph over any number of rows is needed. */
public final class CutBatch {
    private CutBatch() {}

    /**
     * The model with the graph of a micro-batch.
     *
     * @param whole with all symbols bound
     * @param symbol that counts the rows
     * @param open the forward graph over that symbol
     * @param count of micro-batches
     * @param files that the model was read from
     * @throws ModelException if micro-batches would change what is computed (E0501), or the rows are not shared evenly
     *     (E0503)
     */
    public static ElaboratedModel run(ElaboratedModel whole, String symbol, Graph open, int count, List<Source> files) {
        long rows = whole.extents().get(symbol);
        if (rows % count != 0) {
            throw new ModelException(List.of(Diagnostic.error(
                    "E0503",
                    BatchRows.of(open).first(),
                    "%s = %d rows cannot be cut into %d micro-batches of one size".formatted(symbol, rows, count),
                    nearest(rows, count))));
        }
        SplitMicroBatches.Split split = SplitMicroBatches.run(open, symbol, count, files);
        Graph body = bound(split.body(), symbol, rows / count);
        MicroBatches cut = new MicroBatches(
                count,
                symbol,
                rows,
                split.counted().map(graph -> bound(graph, symbol, rows / count)),
                split.normalized(),
                split.omitted(),
                bound(split.effects(), symbol, rows));
        return whole.with(body, cut);
    }

    /** The numbers that do divide the rows, next to the one that does not. */
    private static String nearest(long rows, int count) {
        List<Long> divisors = Divisors.of(rows);
        String less = divisors.stream()
                .filter(divisor -> divisor < count)
                .reduce((_, last) -> last)
                .map(String::valueOf)
                .orElse("");
        return divisors.stream()
                .filter(divisor -> divisor > count)
                .findFirst()
                .map(more -> "%s and %d divide the rows".formatted(less, more))
                .orElse("at most " + rows + ", one for each row");
    }

    private static Graph bound(Graph graph, String symbol, long extent) {
        SequencedMap<String, Long> value = new LinkedHashMap<>();
        value.put(symbol, extent);
        return BindSymbols.run(graph, value);
    }
}
