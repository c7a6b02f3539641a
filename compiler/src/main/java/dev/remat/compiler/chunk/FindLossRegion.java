package dev.remat.compiler.chunk;

import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Broadcast;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.CrossEntropyGradient;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.Literal;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Reshape;
import dev.remat.ir.op.Slice;
import dev.remat.ir.op.Softmax;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Finds what can be computed a chunk of rows at a time around a cross-entropy: whatever makes or reads a value that is
 * at least half as wide as the logits, and what leads from there back into it. A product ends it: what its rows are
 * made of is whole, and so is what becomes of them, since it has other columns.
 */
final class FindLossRegion {
    private final Graph graph;
    private final ValueMap<List<NodeId>> consumers;
    private final Node loss;
    private final RowAxes rows;
    private final long width;
    private final TreeMap<NodeId, Node> nodes = new TreeMap<>();
    private final Set<ValueId> wide = new LinkedHashSet<>();
    private final Deque<ValueId> open = new ArrayDeque<>();

    private FindLossRegion(Graph graph, Node loss) {
        this.graph = graph;
        this.consumers = graph.consumers();
        this.loss = loss;
        TensorType logits = graph.type(loss.operands().getFirst());
        this.rows = new RowAxes(logits.dim(0).value());
        this.width = logits.dim(1).value();
    }

    /**
     * @param loss a cross-entropy of the graph, which is a step's or an evaluation's
     * @throws UncutException if something of it needs all rows at once
     */
    static LossRegion run(Graph graph, Node loss) {
        return new FindLossRegion(graph, loss).run();
    }

    private LossRegion run() {
        admit(loss);
        grow();
        List<Node> between = between();
        while (!between.isEmpty()) {
            between.forEach(this::admit);
            grow();
            between = between();
        }
        graph.outputs().stream()
                .filter(output -> wide.contains(output.value()))
                .findFirst()
                .ifPresent(output -> {
                    throw new UncutException(
                            "'" + output.name() + "' is an output, which has to be whole",
                            graph.location(output.value()));
                });
        nodes.values().forEach(this::requireOperandsOfRows);
        return new LossRegion(loss, rows, List.copyOf(nodes.values()), wide);
    }

    private void grow() {
        while (!open.isEmpty()) {
            ValueId value = open.removeFirst();
            NodeId maker = graph.value(value)
                    .producer()
                    .orElseThrow(() -> new UncutException(
                            "'" + name(value) + "' is given whole, as wide as the logits", graph.location(value)));
            admit(graph.node(maker));
            consumers.get(value).forEach(reader -> admit(graph.node(reader)));
        }
    }

    private void admit(Node node) {
        if (nodes.putIfAbsent(node.id(), node) != null) {
            return;
        }
        if (node.role() == Role.UPDATE) {
            throw mixes(node);
        } else if (node.op().drawnOrdinal().isPresent()) {
            throw new UncutException(
                    "'" + name(node.results().getFirst()) + "' draws random numbers for all rows in one go, as wide as"
                            + " the logits; what draws before the product that makes them is not in the way",
                    place(node));
        } else if (node.role() == Role.FORWARD && node.origin().region().isPresent()) {
            throw new UncutException(
                    "'" + name(node.results().getFirst()) + "' is in a block that is computed again", place(node));
        }
        switch (node.op()) {
            case CrossEntropy _ -> rowsOf(node, 0, 1);
            case CrossEntropyGradient op when op.forward().perRow() -> rowsOf(node, 0, 1, 2, 3);
            case CrossEntropyGradient _ when node.operands().size() == 4 -> rowsOf(node, 1, 2, 3);
            case MatMul op when op.wholeRows() == 0 -> product(node, op);
            case Reduce op -> {
                int axes = rows.in(type(node.operands().getFirst()));
                require(node, op.axes().stream().allMatch(axis -> axis >= axes));
                rowsOf(node, 0);
            }
            case Softmax _ -> {
                TensorType x = type(node.operands().getFirst());
                require(node, rows.in(x) < x.rank());
                rowsOf(node, 0);
            }
            case Reshape _ -> rowsOf(node, 0);
            case Slice op -> {
                TensorType x = type(node.operands().getFirst());
                rowsOf(node, 0);
                require(
                        node,
                        IntStream.range(0, rows.in(x))
                                .allMatch(axis -> op.sizes().get(axis).equals(x.dim(axis))));
            }
            case Broadcast _ -> elementwise(node);
            case Elementwise op -> {
                require(node, !(op instanceof Literal) || op instanceof Constant);
                elementwise(node);
            }
            case Op _ -> throw mixes(node);
        }
        if (!(node.op() instanceof MatMul)) {
            node.results().stream()
                    .filter(result -> !(node.op() instanceof CrossEntropy) || rows.areIn(type(result)))
                    .forEach(result -> take(node, result));
        }
    }

    /** Operands have the rows or repeat over them. */
    private void elementwise(Node node) {
        int axes = rows.in(type(node.results().getFirst()));
        require(node, axes > 0);
        for (ValueId operand : node.operands()) {
            if (!RowAxes.repeat(type(operand), axes)) {
                require(node, rows.in(type(operand)) == axes);
                take(node, operand);
            }
        }
    }

    private void product(Node node, MatMul op) {
        TensorType a = type(node.operands().get(0));
        TensorType b = type(node.operands().get(1));
        if (isSum(node)) {
            require(node, a.rank() == 2 && a.dim(0).is(rows.count()));
        } else {
            require(node, !op.transposeA() && b.rank() == 2 && rows.in(a) == a.rank() - 1);
            require(node, !wide.contains(node.operands().get(1)));
        }
    }

    /** Whether a node gives a sum over rows, of which chunks go on from each other. */
    static boolean isSum(Node node) {
        return node.op() instanceof MatMul op && op.sumsRows();
    }

    /** Whether all rows of a value are the same, so that each chunk can make its own. */
    static boolean isAlike(Graph graph, ValueId value) {
        return graph.value(value)
                .producer()
                .map(graph::node)
                .filter(maker -> maker.op() instanceof Constant
                        || maker.op() instanceof Broadcast
                                && RowAxes.repeat(graph.type(maker.operands().getFirst()), 1)
                                && !graph.type(value).dim(0).is(1))
                .isPresent();
    }

    private void rowsOf(Node node, int... operands) {
        for (int operand : operands) {
            take(node, node.operands().get(operand));
        }
    }

    /** A value that a node of the region makes or reads by rows. */
    private void take(Node node, ValueId value) {
        TensorType type = type(value);
        require(node, rows.areIn(type));
        if (2 * rows.width(type) >= width && !isAlike(graph, value) && wide.add(value)) {
            graph.value(value).pin().ifPresent(_ -> {
                throw new UncutException(
                        "'" + name(value) + "' is asked to be kept or made again as a whole", place(node));
            });
            open.add(value);
        }
    }

    /** Nodes outside that read what the region gives and give what it reads, in order. */
    private List<Node> between() {
        boolean[] after = new boolean[graph.nodes().size()];
        boolean[] before = new boolean[graph.nodes().size()];
        for (Node node : graph.nodes()) {
            boolean reads = node.operands().stream()
                    .flatMap(operand -> graph.value(operand).producer().stream())
                    .anyMatch(maker -> after[maker.index()]);
            after[node.id().index()] = reads || nodes.containsKey(node.id());
        }
        for (Node node : graph.nodes().reversed()) {
            boolean isRead = node.results().stream()
                    .flatMap(result -> consumers.get(result).stream())
                    .anyMatch(reader -> before[reader.index()]);
            before[node.id().index()] = isRead || nodes.containsKey(node.id());
        }
        List<Node> found = new ArrayList<>();
        for (Node node : graph.nodes()) {
            int index = node.id().index();
            if (after[index] && before[index] && !nodes.containsKey(node.id())) {
                found.add(node);
            }
        }
        return found;
    }

    /** What is summed up over all rows is there when they are through. */
    private void requireOperandsOfRows(Node node) {
        for (ValueId operand : node.operands()) {
            graph.value(operand)
                    .producer()
                    .map(graph::node)
                    .filter(maker -> nodes.containsKey(maker.id()))
                    .ifPresent(maker -> {
                        boolean sum = isSum(maker)
                                || maker.op() instanceof CrossEntropy op
                                        && !op.perRow()
                                        && operand.equals(maker.results().getFirst());
                        require(node, !sum);
                    });
        }
    }

    private void require(Node node, boolean holds) {
        if (!holds) {
            throw mixes(node);
        }
    }

    private UncutException mixes(Node node) {
        String result = name(node.results().getFirst());
        return new UncutException(
                node.op().mnemonic() + " of '" + result + "' is not computed a chunk of rows at a time", place(node));
    }

    private static Location place(Node node) {
        return node.origin().location();
    }

    private String name(ValueId value) {
        return graph.value(value).name();
    }

    private TensorType type(ValueId value) {
        return graph.type(value);
    }
}
