package dev.remat.compiler.fusion;

import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Origin;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Contiguous;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.View;
import dev.remat.ir.target.TargetModel;
import java.util.List;
import java.util.Optional;

/**
 * Copies a view where its reader cannot follow strides, once for all such readers.
 *
 * <pre>
 * before: %1 = transpose{permutation=[1, 0]}(%0)   %2 = matmul(%1, %w)
 * after:  %1 = transpose{permutation=[1, 0]}(%0)   %2 = contiguous(%1)   %3 = matmul(%2, %w)
 * </pre>
 *
 * <p>Ensures that every view node has a layout in some buffer, that literals are read by elementwise nodes alone, and
 * that outputs lie dense.
 */
public final class MaterializeViews {
    private final Graph graph;
    private final TargetModel target;
    private final GraphRewriter rewriter;
    private final GraphBuilder builder;
    /** Layouts in the graph being built, by its own ids. */
    private final ValueMap<Layout> layouts;

    private final boolean[] literal;
    private final ValueMap<ValueId> copies;

    private MaterializeViews(Graph graph, TargetModel target) {
        this.graph = graph;
        this.target = target;
        this.rewriter = new GraphRewriter(graph);
        this.builder = rewriter.target();
        this.layouts = new ValueMap<>(graph.values().size());
        this.literal = new boolean[graph.values().size()];
        this.copies = new ValueMap<>(graph.values().size());
    }

    public static Graph run(Graph graph, TargetModel target) {
        return new MaterializeViews(graph, target).run();
    }

    private Graph run() {
        rewriter.copyInputs();
        graph.inputs().forEach(input -> own(rewriter.map(input.value())));
        for (Node node : graph.nodes()) {
            if (node.op() instanceof View view) {
                copyView(node, view);
            } else {
                copyReader(node);
            }
        }
        for (GraphOutput output : graph.outputs()) {
            Role role = graph.value(output.value())
                    .producer()
                    .map(id -> graph.node(id).role())
                    .orElse(Role.FORWARD);
            ValueId dense =
                    needsCopy(output.value()) ? dense(output.value(), Origin.NONE, role) : rewriter.map(output.value());
            builder.output(output.name(), dense);
        }
        return builder.build();
    }

    private void copyView(Node node, View view) {
        ValueId operand = node.operands().getFirst();
        ValueId result = node.results().getFirst();
        literal[result.index()] = literal[operand.index()];
        Layout layout = layouts.get(rewriter.map(operand));
        Optional<StridedView> strided = view.through(layout.view());
        if (strided.isEmpty()) {
            ValueId copy = dense(operand, node.origin(), node.role());
            layout = layouts.get(copy);
            strided = view.through(layout.view());
            ValueId before = rewriter.map(operand);
            rewriter.replace(operand, copy);
            rewriter.copy(node);
            rewriter.replace(operand, before);
        } else {
            rewriter.copy(node);
        }
        layouts.put(rewriter.map(result), new Layout(layout.base(), strided.orElseThrow()));
    }

    private void copyReader(Node node) {
        List<ValueId> before = rewriter.map(node.operands());
        for (int i = 0; i < node.operands().size(); i++) {
            ValueId operand = node.operands().get(i);
            boolean flexible = node.op() instanceof Elementwise
                    || !literal[operand.index()] && target.acceptsStrides(node.op(), i);
            if (!flexible && layouts.contains(rewriter.map(operand)) && needsCopy(operand)) {
                rewriter.replace(operand, dense(operand, node.origin(), copyRole(node.role())));
            }
        }
        rewriter.copy(node).forEach(this::own);
        for (int i = 0; i < before.size(); i++) {
            rewriter.replace(node.operands().get(i), before.get(i));
        }
        if (GroupAssembly.isLiteral(node)) {
            literal[node.results().getFirst().index()] = true;
        }
    }

    static Role copyRole(Role reader) {
        return reader == Role.UPDATE ? Role.BACKWARD : reader;
    }

    private boolean needsCopy(ValueId value) {
        return literal[value.index()] || !layouts.get(rewriter.map(value)).isContiguous();
    }

    /** The dense copy of an old value, made at its first use. */
    private ValueId dense(ValueId old, Origin origin, Role role) {
        return copies.find(old).orElseGet(() -> {
            builder.at(origin).as(role);
            ValueId copy = builder.apply(new Contiguous(), rewriter.map(old));
            builder.rename(copy, graph.value(old).name() + ".dense");
            own(copy);
            copies.put(old, copy);
            return copy;
        });
    }

    private void own(ValueId value) {
        if (!builder.type(value).equals(TensorType.SEED)) {
            layouts.put(
                    value,
                    new Layout(value, StridedView.dense(builder.type(value).shape())));
        }
    }
}
