package dev.remat.compiler.pipeline;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.op.AllFinite;
import dev.remat.ir.op.ChunkSquares;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.ScatterShares;
import dev.remat.ir.op.Slice;
import dev.remat.ir.op.SumOfChunks;
import dev.remat.ir.op.SumOfSquares;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/**
 * Folds gradients where they are, so that stages send each other what comes of them: a norm is added up by chunks in
 * the order in which one stage does.
 *
 * <pre>
 * before: %2 = sum_of_squares(%accumulated.v, %accumulated.w)
 * after:  %3 = chunk_squares(%accumulated.v)  %4 = chunk_squares(%accumulated.w)  %2 = sum_of_chunks(%3, %4)
 * </pre>
 */
final class FoldByStage {
    private final GraphRewriter rewriter;
    private final GraphBuilder builder;
    private final ToIntFunction<ValueId> stage;

    private FoldByStage(Graph updates, ToIntFunction<ValueId> stage) {
        this.rewriter = new GraphRewriter(updates);
        this.builder = rewriter.target();
        this.stage = stage;
    }

    /** @param stage of a value that is folded */
    static Graph run(Graph updates, ToIntFunction<ValueId> stage) {
        return new FoldByStage(updates, stage).run();
    }

    private Graph run() {
        return rewriter.rewrite(node -> {
            switch (node.op()) {
                case SumOfSquares squares
                when byStage(squares.tensors(node.operands())).size() > 1 -> replace(node, norm(node, squares));
                case AllFinite _ when byStage(node.operands()).size() > 1 -> replace(node, finite(node));
                case Op _ -> rewriter.copy(node);
            }
        });
    }

    private void replace(Node node, ValueId result) {
        builder.rename(
                result, rewriter.source().value(node.results().getFirst()).name());
        rewriter.replace(node.results().getFirst(), result);
    }

    /** Positions of operands, by stage. */
    private SortedMap<Integer, List<Integer>> byStage(List<ValueId> operands) {
        SortedMap<Integer, List<Integer>> byStage = new TreeMap<>();
        for (int k = 0; k < operands.size(); k++) {
            byStage.computeIfAbsent(stage.applyAsInt(operands.get(k)), _ -> new ArrayList<>())
                    .add(k);
        }
        return byStage;
    }

    private ValueId norm(Node node, SumOfSquares op) {
        builder.at(node.origin()).as(node.role());
        List<ValueId> tensors = rewriter.map(op.tensors(node.operands()));
        List<ValueId> factor = rewriter.map(
                node.operands().subList(tensors.size(), node.operands().size()));
        boolean precise = SumOfSquares.isPrecise(rewriter.source().types(op.tensors(node.operands())));
        ValueId[] operands = new ValueId[tensors.size()];
        for (List<Integer> own : byStage(op.tensors(node.operands())).values()) {
            List<ValueId> chunks = own.stream()
                    .map(k -> chunks(tensors.get(k), factor, precise))
                    .toList();
            ValueId all = chunks.size() == 1
                    ? chunks.getFirst()
                    : builder.emit(new Concat(0), chunks).getFirst();
            long first = 0;
            for (int k = 0; k < own.size(); k++) {
                long count = builder.type(chunks.get(k)).elements();
                operands[own.get(k)] = chunks.size() == 1
                        ? all
                        : builder.apply(new Slice(List.of(Dim.of(first)), List.of(Dim.of(count))), all);
                first += count;
            }
        }
        List<ValueId> read = new ArrayList<>(List.of(operands));
        read.addAll(factor);
        List<Integer> every = IntStream.range(0, operands.length).boxed().toList();
        return builder.emit(new SumOfChunks(every, op.scaled(), precise), read).getFirst();
    }

    private ValueId chunks(ValueId tensor, List<ValueId> factor, boolean precise) {
        long elements = builder.type(tensor).elements();
        ValueId flat = builder.reshape(tensor, Shape.of(elements));
        long gap = Math.ceilDiv(elements, ScatterShares.UNIT) * ScatterShares.UNIT - elements;
        List<ValueId> operands = new ArrayList<>(List.of(
                gap == 0 ? flat : builder.apply(new Pad(List.of(Dim.ZERO), List.of(Dim.of(gap)), 0), flat)));
        operands.addAll(factor);
        ChunkSquares squares = new ChunkSquares(List.of(0L), List.of(elements), !factor.isEmpty(), precise);
        return builder.emit(squares, operands).getFirst();
    }

    private ValueId finite(Node node) {
        builder.at(node.origin()).as(node.role());
        List<ValueId> each = new ArrayList<>();
        for (List<Integer> own : byStage(node.operands()).values()) {
            List<ValueId> tensors =
                    own.stream().map(k -> rewriter.map(node.operands().get(k))).toList();
            ValueId finite = builder.emit(new AllFinite(), tensors).getFirst();
            each.add(builder.reshape(builder.cast(finite, DType.F32), Shape.of(1)));
        }
        ValueId all = builder.emit(new Concat(0), each).getFirst();
        ValueId least = builder.apply(new Reduce(Reduce.Kind.MIN, List.of(0)), all);
        return builder.compare(Compare.Kind.EQ, builder.reshape(least, Shape.of()), 1);
    }
}
