package dev.remat.compiler.split;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.InputKind;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/** What the shapes of a forward graph's data begin with: the rows of a batch, where that is one number for all. */
public final class BatchRows {
    private final Graph forward;
    private final List<GraphInput> data;

    private BatchRows(Graph forward) {
        this.forward = forward;
        this.data = forward.inputs().stream()
                .filter(input -> input.kind() == InputKind.DATA)
                .toList();
    }

    public static BatchRows of(Graph forward) {
        return new BatchRows(forward);
    }

    /** Whether the shapes of all data begin with a symbol, and there are data. */
    public boolean areCountedBy(String symbol) {
        return !data.isEmpty()
                && data.stream()
                        .map(this::shape)
                        .allMatch(shape -> shape.rank() > 0 && shape.dim(0).equals(Dim.symbol(symbol)));
    }

    /** Symbols that may count the rows, for all data has as many. */
    public List<String> candidates(SequencedMap<String, Long> extents) {
        return extents.entrySet().stream()
                .filter(symbol -> data.stream().map(this::rows).allMatch(Dim.of(symbol.getValue())::equals))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Their number, which micro-batches may share; 1 where data has different numbers. */
    public long number() {
        List<Dim> rows = data.stream().map(this::rows).distinct().toList();
        return rows.size() == 1 ? rows.getFirst().value() : 1;
    }

    /** Where the first input stands. */
    public Location first() {
        return data.stream().findFirst().map(GraphInput::location).orElse(Location.NONE);
    }

    /** The first input that does not begin as the first of all does, or that one. */
    public Location odd() {
        Optional<GraphInput> other = data.stream()
                .filter(input -> !rows(input).equals(rows(data.getFirst())))
                .findFirst();
        return other.map(GraphInput::location).orElseGet(this::first);
    }

    private Dim rows(GraphInput input) {
        Shape shape = shape(input);
        return shape.rank() == 0 ? Dim.ONE : shape.dim(0);
    }

    private Shape shape(GraphInput input) {
        TensorType type = forward.type(input.value());
        return type.shape();
    }
}
