package dev.remat.compiler.split;

import dev.remat.compiler.batch.Divisors;
import dev.remat.compiler.batch.MicroBatches;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.simplify.BindSymbols;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.InputKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    /**
     * An evaluation beside a step that is cut: cut alike, with the outputs of the whole batch. The whole batch at once
     * where what the evaluation alone computes does not allow that.
     *
     * @param whole elaborated for {@link Purpose#EVALUATE}
     * @param trained by the step
     * @param bindings that made {@code whole}
     * @param elaborate with other bindings
     */
    public static ElaboratedModel ofEvaluation(
            ElaboratedModel whole,
            ElaboratedModel trained,
            Bindings bindings,
            Function<Bindings, ElaboratedModel> elaborate) {
        if (trained.microBatches().isEmpty()) {
            return whole;
        }
        MicroBatches cut = trained.microBatches().get();
        try {
            return new CutBatch(whole, cut.count())
                    .cut(cut.symbol(), elaborate.apply(bindings.leavingOpen(cut.symbol())));
        } catch (ModelException e) {
            // What the evaluation alone computes has rows that meet each other.
            return whole;
        }
    }

    private ElaboratedModel run(Bindings bindings, Function<Bindings, ElaboratedModel> elaborate) {
        Optional<Diagnostic> needsNumber = Optional.empty();
        for (String symbol : candidates()) {
            ElaboratedModel open;
            try {
                open = elaborate.apply(bindings.leavingOpen(symbol));
            } catch (ModelException e) {
                needsNumber = needsNumber.or(
                        () -> Optional.of(needsNumber(symbol, e.diagnostics().getFirst())));
                continue;
            }
            if (beginsAllData(symbol, open.forward())) {
                return cut(symbol, open);
            }
        }
        throw new ModelException(List.of(needsNumber.orElseGet(() -> Diagnostic.error(
                "E0502",
                oddInput(),
                "the batch cannot be cut into micro-batches: no symbol counts its rows",
                "the shapes of all inputs must begin with one symbol, such as f32[B, 3]"))));
    }

    /** Symbols that may count the rows, for all data has as many. */
    private List<String> candidates() {
        return whole.extents().entrySet().stream()
                .filter(symbol -> data().stream().map(this::rows).allMatch(Dim.of(symbol.getValue())::equals))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The model cannot be elaborated without the number of its rows, though it can with it. */
    private static Diagnostic needsNumber(String symbol, Diagnostic why) {
        return Diagnostic.error(
                        "E0502",
                        why.location(),
                        "the batch cannot be cut into micro-batches: over any number of rows " + symbol + ", "
                                + why.message(),
                        "nothing in the model's body may need the number of rows")
                .underlining(why.length());
    }

    /** The first input that does not begin as the first of all does, or that one. */
    private Location oddInput() {
        List<GraphInput> data = data();
        return data.stream()
                .filter(input -> !rows(input).equals(rows(data.getFirst())))
                .findFirst()
                .map(GraphInput::location)
                .orElseGet(this::firstInput);
    }

    private Location firstInput() {
        return data().stream().findFirst().map(GraphInput::location).orElse(Location.NONE);
    }

    private List<GraphInput> data() {
        return whole.forward().inputs().stream()
                .filter(input -> input.kind() == InputKind.DATA)
                .toList();
    }

    private Dim rows(GraphInput input) {
        Shape shape = whole.forward().type(input.value()).shape();
        return shape.rank() == 0 ? Dim.ONE : shape.dim(0);
    }

    private ElaboratedModel cut(String symbol, ElaboratedModel open) {
        long rows = whole.extents().get(symbol);
        if (rows % count != 0) {
            throw error(
                    "E0503",
                    firstInput(),
                    "%s = %d rows cannot be cut into %d micro-batches of one size".formatted(symbol, rows, count),
                    nearest(rows));
        }
        SplitMicroBatches.Split split = SplitMicroBatches.run(open.forward(), symbol, count);
        Graph body = bound(split.body(), symbol, rows / count);
        MicroBatches cut = new MicroBatches(
                count,
                symbol,
                rows,
                split.counted().map(graph -> bound(graph, symbol, rows / count)),
                split.normalized(),
                bound(split.effects(), symbol, rows));
        return whole.with(body, cut);
    }

    /** The numbers that do divide the rows, next to the one that does not. */
    private String nearest(long rows) {
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

    /** Rows that all data has, which may be shared among micro-batches; 1 where data has different numbers. */
    public static long rows(ElaboratedModel whole) {
        CutBatch cut = new CutBatch(whole, 1);
        List<Dim> rows = cut.data().stream().map(cut::rows).distinct().toList();
        return rows.size() == 1 ? rows.getFirst().value() : 1;
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
