package dev.remat.compiler.simplify;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Pad;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Lays slices side by side where they would be padded with zeros to the whole and added up. Gradients of {@code split}
 * are made of that: T slices of a sequence would cost T tensors of its size and as many additions.
 *
 * <pre>
 * before: %3 = pad{low=[0], high=[2]}(%0)  %4 = pad{low=[2], high=[0]}(%1)  %5 = add(%3, %4)
 * after:  %3 = concat{axis=0}(%0, %1)
 * </pre>
 *
 * <p>Only pads that the sum alone reads and that tile one axis, in any order. Numbers stay the same, but for −0 + 0.
 */
public final class ConcatenatePads {
    /** A padded operand, the part from {@code low} to {@code low + size} of the axis. */
    private record Part(ValueId operand, long low, long size) {}

    private record Row(int axis, List<Part> parts) {}

    private final Graph graph;
    private final ValueMap<List<NodeId>> consumers;
    private final boolean[] output;
    /** How many elements of a sum of pads come from what was padded; 0 where other terms are in it. */
    private final long[] covered;

    private ConcatenatePads(Graph graph) {
        this.graph = graph;
        this.consumers = graph.consumers();
        this.output = new boolean[graph.values().size()];
        graph.outputs().forEach(o -> output[o.value().index()] = true);
        this.covered = new long[graph.values().size()];
        graph.nodes().forEach(this::cover);
    }

    private void cover(Node node) {
        if (node.op() instanceof Pad pad && pad.value() == 0) {
            covered[node.results().getFirst().index()] =
                    graph.type(node.operands().getFirst()).elements();
        } else if (isSum(node)) {
            long left = covered[node.operands().get(0).index()];
            long right = covered[node.operands().get(1).index()];
            covered[node.results().getFirst().index()] = left == 0 || right == 0 ? 0 : left + right;
        }
    }

    private boolean isCovered(Node sum) {
        ValueId value = sum.results().getFirst();
        return covered[value.index()] == graph.type(value).elements();
    }

    public static Graph run(Graph graph) {
        return new ConcatenatePads(graph).rewrite();
    }

    private Graph rewrite() {
        ValueMap<Row> rows = new ValueMap<>(graph.values().size());
        boolean[] vanished = new boolean[graph.nodes().size()];
        boolean found = false;
        for (Node node : graph.nodes()) {
            if (isSum(node) && isCovered(node)) {
                List<Node> chain = new ArrayList<>();
                Optional<Row> row = row(node, chain);
                row.ifPresent(r -> {
                    rows.put(node.results().getFirst(), r);
                    chain.forEach(member -> vanished[member.id().index()] = true);
                });
                found |= row.isPresent();
            }
        }
        if (!found) {
            return graph;
        }
        GraphRewriter rewriter = new GraphRewriter(graph);
        return rewriter.rewrite(node -> {
            Optional<Row> row = node.results().stream().findFirst().flatMap(rows::find);
            if (row.isPresent()) {
                lay(rewriter, node, row.get());
            } else if (!vanished[node.id().index()]) {
                rewriter.copy(node);
            }
        });
    }

    private boolean isSum(Node node) {
        return node.op() instanceof Binary binary
                && binary.kind() == Binary.Kind.ADD
                && graph.type(node.results().getFirst()).dtype() != DType.BOOL;
    }

    /** Whether one node alone reads a value and nothing else is asked of it. */
    private boolean isReadOnceOnly(ValueId value) {
        return consumers.get(value).size() == 1
                && !output[value.index()]
                && graph.value(value).pin().isEmpty();
    }

    /**
     * What the sum that ends at {@code root} is made of, if of pads that tile an axis.
     *
     * @param chain receives the nodes that the row replaces
     */
    private Optional<Row> row(Node root, List<Node> chain) {
        List<Node> pads = new ArrayList<>();
        List<Node> open = new ArrayList<>(List.of(root));
        while (!open.isEmpty()) {
            Node sum = open.removeLast();
            chain.add(sum);
            for (ValueId operand : sum.operands()) {
                Optional<Node> producer =
                        graph.value(operand).producer().map(graph::node).filter(p -> isReadOnceOnly(operand));
                if (producer.isEmpty() || producer.get().role() != root.role()) {
                    return Optional.empty();
                }
                if (producer.get().op() instanceof Pad pad && pad.value() == 0) {
                    pads.add(producer.get());
                } else if (isSum(producer.get())) {
                    open.add(producer.get());
                } else {
                    return Optional.empty();
                }
            }
        }
        chain.addAll(pads);
        return tile(pads, graph.type(root.results().getFirst()));
    }

    private Optional<Row> tile(List<Node> pads, TensorType whole) {
        int axis = paddedAxis((Pad) pads.getFirst().op());
        List<Part> parts = new ArrayList<>();
        for (Node node : pads) {
            Pad pad = (Pad) node.op();
            if (axis < 0 || paddedAxis(pad) != axis) {
                return Optional.empty();
            }
            ValueId operand = node.operands().getFirst();
            parts.add(new Part(
                    operand,
                    pad.low().get(axis).value(),
                    graph.type(operand).dim(axis).value()));
        }
        parts.sort(Comparator.comparingLong(Part::low));
        long end = 0;
        for (Part part : parts) {
            if (part.low() != end) {
                return Optional.empty();
            }
            end += part.size();
        }
        return end == whole.dim(axis).value() ? Optional.of(new Row(axis, parts)) : Optional.empty();
    }

    /** The only axis that is padded; −1 where there are several or none. */
    private static int paddedAxis(Pad pad) {
        int padded = -1;
        for (int axis = 0; axis < pad.low().size(); axis++) {
            if (pad.low().get(axis).value() != 0 || pad.high().get(axis).value() != 0) {
                if (padded >= 0) {
                    return -1;
                }
                padded = axis;
            }
        }
        return padded;
    }

    private void lay(GraphRewriter rewriter, Node sum, Row row) {
        ValueId old = sum.results().getFirst();
        List<ValueId> parts =
                row.parts().stream().map(Part::operand).map(rewriter::map).toList();
        rewriter.target().at(sum.origin()).as(sum.role());
        ValueId whole = rewriter.target()
                .append(
                        new Concat(row.axis()),
                        parts,
                        List.of(graph.type(old)),
                        List.of(graph.value(old).name()),
                        Optional.empty())
                .getFirst();
        rewriter.replace(old, whole);
    }
}
