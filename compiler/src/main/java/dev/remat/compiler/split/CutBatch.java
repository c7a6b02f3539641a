package dev.remat.compiler.split;

import dev.remat.compiler.batch.MicroBatches;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.simplify.BindSymbols;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.InputKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Function;

/**
 * Cuts the batch of a model as its training says, for which the model is elaborated once more over the symbol that
 * counts its rows: the symbol with which the shapes of all data begin.
 */
public final class CutBatch {
    private final ElaboratedModel whole;
    private final int count;

    private CutBatch(ElaboratedModel whole, int count) {
        this.whole = whole;
        this.count = count;
    }

    /**
     * The model as it is where it is not to be cut, or only evaluated.
     *
     * @param whole with all symbols bound
     * @param bindings that made it
     * @param elaborate with other bindings
     * @throws ModelException if micro-batches would change what is computed (E0501), nothing says which rows are the
     *     batch's (E0502), or they are not shared evenly (E0503)
     */
    public static ElaboratedModel run(
            ElaboratedModel whole, Bindings bindings, Function<Bindings, ElaboratedModel> elaborate) {
        int count = whole.training().microBatches();
        return count == 1 || whole.purpose() == Purpose.EVALUATE
                ? whole
                : new CutBatch(whole, count).run(bindings, elaborate);
    }

    private ElaboratedModel run(Bindings bindings, Function<Bindings, ElaboratedModel> elaborate) {
        for (String symbol : whole.extents().keySet()) {
            Optional<ElaboratedModel> open = over(symbol, bindings, elaborate);
            if (open.isPresent()) {
                return cut(symbol, open.get());
            }
        }
        throw error(
                "E0502",
                whole.forward().inputs().stream()
                        .filter(input -> input.kind() == InputKind.DATA)
                        .findFirst()
                        .map(GraphInput::location)
                        .orElse(Location.NONE),
                "the batch cannot be cut into micro-batches: no symbol counts its rows",
                "the shapes of all inputs must begin with one symbol, such as f32[B, 3], whose number nothing else of"
                        + " the model needs");
    }

    /** The model over a symbol that counts rows; empty if it is another one, or the model needs its number. */
    private Optional<ElaboratedModel> over(
            String symbol, Bindings bindings, Function<Bindings, ElaboratedModel> elaborate) {
        try {
            ElaboratedModel open = elaborate.apply(bindings.without(symbol));
            return beginsAllData(symbol, open.forward()) ? Optional.of(open) : Optional.empty();
        } catch (ModelException e) {
            return Optional.empty();
        }
    }

    private ElaboratedModel cut(String symbol, ElaboratedModel open) {
        long rows = whole.extents().get(symbol);
        if (rows % count != 0) {
            throw error(
                    "E0503",
                    new Location(Bindings.FILE, 1, 1),
                    "%s = %d rows cannot be cut into %d micro-batches of one size".formatted(symbol, rows, count),
                    "their number must divide that of the rows");
        }
        SplitMicroBatches.Split split = SplitMicroBatches.run(open.forward(), symbol, count);
        Graph body = bound(split.body(), symbol, rows / count);
        MicroBatches cut = new MicroBatches(
                count,
                symbol,
                rows,
                split.counted().map(graph -> bound(graph, symbol, rows / count)),
                bound(split.effects(), symbol, rows));
        return whole.with(body, cut);
    }

    private static Graph bound(Graph graph, String symbol, long extent) {
        SequencedMap<String, Long> value = new LinkedHashMap<>();
        value.put(symbol, extent);
        return BindSymbols.run(graph, value);
    }

    /** Whether the shapes of all data begin with a symbol. */
    public static boolean beginsAllData(String symbol, Graph forward) {
        List<TensorType> data = forward.inputs().stream()
                .filter(input -> input.kind() == InputKind.DATA)
                .map(GraphInput::value)
                .map(forward::type)
                .toList();
        return !data.isEmpty()
                && data.stream()
                        .allMatch(type ->
                                type.shape().rank() > 0 && type.shape().dim(0).equals(Dim.symbol(symbol)));
    }

    private static ModelException error(String code, Location location, String message, String note) {
        return new ModelException(List.of(Diagnostic.error(code, location, message, note)));
    }
}
