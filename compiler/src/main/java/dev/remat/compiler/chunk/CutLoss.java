package dev.remat.compiler.chunk;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Origin;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.Value;
import dev.remat.ir.op.Broadcast;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.CrossEntropyGradient;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.MeanLoss;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Reshape;
import dev.remat.ir.op.Slice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Puts the nodes of a region into a graph that is being built, one chunk of rows after another, forward and backward of
 * a chunk together. What a row has is put together again behind the last, and sums over rows go on from chunk to chunk.
 */
final class CutLoss {
    private final GraphRewriter rewriter;
    private final Graph graph;
    private final GraphBuilder builder;
    private final LossRegion region;
    /** First rows of the chunks, and the number of all. */
    private final List<Long> ends;

    private final Optional<Role> role;
    /** What is read by rows, as {@code [rows, …]}. */
    private final Map<ValueId, ValueId> whole = new LinkedHashMap<>();
    /** What each chunk gives of a value that is whole behind the region. */
    private final Map<ValueId, List<ValueId>> pieces = new LinkedHashMap<>();

    private final Map<ValueId, ValueId> sums = new LinkedHashMap<>();
    /** Values of the chunk at hand. */
    private Map<ValueId, ValueId> chunk = new LinkedHashMap<>();

    private long from;
    private long count;

    private CutLoss(GraphRewriter rewriter, LossRegion region, List<Long> ends) {
        this.rewriter = rewriter;
        this.graph = rewriter.source();
        this.builder = rewriter.target();
        this.region = region;
        this.ends = ends;
        boolean backward = region.nodes().stream().anyMatch(node -> node.role() == Role.BACKWARD);
        this.role = backward ? Optional.of(Role.BACKWARD) : Optional.empty();
    }

    /**
     * @param rewriter that has copied what the region reads
     * @param ends the first row of each chunk, and behind the last the number of rows
     */
    static void run(GraphRewriter rewriter, LossRegion region, List<Long> ends) {
        new CutLoss(rewriter, region, ends).run();
    }

    private void run() {
        for (int k = 0; k + 1 < ends.size(); k++) {
            from = ends.get(k);
            count = ends.get(k + 1) - from;
            chunk = new LinkedHashMap<>();
            region.nodes().forEach(this::emit);
        }
        region.nodes().forEach(this::finish);
    }

    private void emit(Node node) {
        at(node);
        switch (node.op()) {
            case MatMul op -> product(node, op);
            case CrossEntropy op -> {
                Op rows = new CrossEntropy(op.labelSmoothing(), op.ignoreIndex(), true);
                define(node, rows, rows(node, 0, 1));
            }
            case CrossEntropyGradient op when op.forward().perRow() -> define(node, op, rows(node, 0, 1, 2, 3));
            case CrossEntropyGradient op -> {
                List<ValueId> operands =
                        new ArrayList<>(List.of(rewriter.map(node.operands().getFirst())));
                operands.addAll(rows(node, 1, 2, 3));
                operands.add(rewriter.map(node.operands().get(2)));
                define(node, op, operands);
            }
            case Reduce op -> {
                int axes = axes(node.operands().getFirst());
                List<Integer> moved =
                        op.axes().stream().map(axis -> axis - axes + 1).toList();
                define(node, new Reduce(op.kind(), moved, op.wide()), rows(node, 0));
            }
            case Reshape _ -> {
                Shape shape = typeOf(node.results().getFirst()).shape();
                ValueId x = row(node.operands().getFirst());
                if (builder.type(x).shape().equals(shape)) {
                    chunk.put(node.results().getFirst(), x);
                    hold(node.results().getFirst(), x);
                } else {
                    define(node, new Reshape(shape), List.of(x));
                }
            }
            case Slice op -> {
                int axes = axes(node.operands().getFirst());
                List<Dim> starts = new ArrayList<>(List.of(Dim.ZERO));
                starts.addAll(op.starts().subList(axes, op.starts().size()));
                Shape sizes = typeOf(node.results().getFirst()).shape();
                define(node, new Slice(starts, sizes.dims()), rows(node, 0));
            }
            case Broadcast _ ->
                define(node, new Broadcast(typeOf(node.results().getFirst()).shape()), repeated(node));
            case Constant op ->
                define(node, new Constant(op.value(), typeOf(node.results().getFirst())), List.of());
            case Op op -> define(node, op, repeated(node));
        }
    }

    private void product(Node node, MatMul op) {
        MatMul part = op.chunkOf(region.rows().count());
        if (!FindLossRegion.isSum(node)) {
            define(
                    node,
                    part,
                    List.of(
                            row(node.operands().get(0)),
                            rewriter.map(node.operands().get(1))));
            return;
        }
        ValueId result = node.results().getFirst();
        List<ValueId> operands = Stream.concat(
                        Stream.of(
                                row(node.operands().get(0)), row(node.operands().get(1))),
                        Optional.ofNullable(sums.get(result)).stream())
                .toList();
        TensorType type =
                part.infer(operands.stream().map(builder::type).toList()).getFirst();
        ValueId sum = builder.append(part, operands, List.of(type), List.of(name(result) + ".chunk"), Optional.empty())
                .getFirst();
        graph.value(result).mark().ifPresent(mark -> builder.mark(sum, mark));
        sums.put(result, sum);
    }

    /** Operands of an operation that takes elements one by one: rows, or what repeats over them. */
    private List<ValueId> repeated(Node node) {
        int axes = axes(node.results().getFirst());
        return node.operands().stream()
                .map(operand -> {
                    TensorType type = graph.type(operand);
                    return RowAxes.repeat(type, axes)
                            ? reshaped(rewriter.map(operand), RowAxes.of(type, axes, 1))
                            : row(operand);
                })
                .toList();
    }

    private List<ValueId> rows(Node node, int... operands) {
        List<ValueId> rows = new ArrayList<>();
        for (int operand : operands) {
            rows.add(row(node.operands().get(operand)));
        }
        return rows;
    }

    /** Rows of a value that belong to the chunk, as {@code [rows, …]}. */
    private ValueId row(ValueId value) {
        ValueId known = chunk.get(value);
        if (known == null) {
            known = FindLossRegion.isAlike(graph, value) ? alike(value) : sliced(value);
            chunk.put(value, known);
        }
        return known;
    }

    private ValueId alike(ValueId value) {
        Node maker = graph.node(graph.value(value).producer().orElseThrow());
        TensorType type = typeOf(value);
        if (maker.op() instanceof Constant constant) {
            return builder.filled(constant.value(), type);
        }
        TensorType repeated = graph.type(maker.operands().getFirst());
        TensorType one = RowAxes.of(repeated, axes(value), 1);
        return builder.apply(
                new Broadcast(type.shape()),
                reshaped(rewriter.map(maker.operands().getFirst()), one));
    }

    private ValueId sliced(ValueId value) {
        TensorType type =
                RowAxes.of(graph.type(value), axes(value), region.rows().count());
        ValueId flat = whole.computeIfAbsent(value, _ -> reshaped(rewriter.map(value), type));
        List<Dim> starts = new ArrayList<>(Collections.nCopies(type.rank(), Dim.ZERO));
        starts.set(0, Dim.of(from));
        return builder.apply(new Slice(starts, typeOf(value).shape().dims()), flat);
    }

    private ValueId reshaped(ValueId value, TensorType type) {
        return builder.reshape(value, type.shape());
    }

    /** The type of a chunk of a value. */
    private TensorType typeOf(ValueId value) {
        return RowAxes.of(graph.type(value), axes(value), count);
    }

    private int axes(ValueId value) {
        return region.rows().in(graph.type(value));
    }

    private void define(Node node, Op op, List<ValueId> operands) {
        List<TensorType> types = op.infer(operands.stream().map(builder::type).toList());
        List<String> names = node.results().stream()
                .map(result -> region.wide().contains(result) ? name(result) : name(result) + ".chunk")
                .toList();
        List<ValueId> results = builder.append(op, operands, types, names, Optional.empty());
        for (int i = 0; i < results.size(); i++) {
            chunk.put(node.results().get(i), results.get(i));
            hold(node.results().get(i), results.get(i));
        }
    }

    private void hold(ValueId value, ValueId piece) {
        if (!region.wide().contains(value)) {
            pieces.computeIfAbsent(value, _ -> new ArrayList<>()).add(piece);
        }
    }

    /** Makes what is read outside whole. */
    private void finish(Node node) {
        at(node);
        for (ValueId result : node.results()) {
            if (sums.containsKey(result)) {
                put(result, builder.cast(sums.get(result), graph.type(result).dtype()));
            } else if (node.op() instanceof CrossEntropy op && !op.perRow() && isFirst(node, result)) {
                ValueId targets = rewriter.map(node.operands().get(1));
                put(result, builder.apply(new MeanLoss(op.ignoreIndex()), together(result), targets));
            } else if (pieces.containsKey(result) && isReadOutside(result)) {
                put(result, reshaped(together(result), graph.type(result)));
            }
        }
    }

    private static boolean isFirst(Node node, ValueId result) {
        return result.equals(node.results().getFirst());
    }

    private ValueId together(ValueId result) {
        return builder.emit(new Concat(0), pieces.get(result)).getFirst();
    }

    private void put(ValueId old, ValueId now) {
        Value value = graph.value(old);
        builder.rename(now, value.name());
        builder.carry(value, now);
        rewriter.replace(old, now);
    }

    private boolean isReadOutside(ValueId result) {
        return graph.outputs().stream().anyMatch(output -> output.value().equals(result))
                || graph.nodes().stream()
                        .anyMatch(node -> node.operands().contains(result)
                                && !region.nodes().contains(node));
    }

    private void at(Node node) {
        Origin origin = node.origin();
        builder.at(origin.call()).as(role.orElse(node.role()));
    }

    private String name(ValueId value) {
        return graph.value(value).name();
    }
}
