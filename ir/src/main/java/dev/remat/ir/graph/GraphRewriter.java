package dev.remat.ir.graph;

import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Op;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Copies a graph piece by piece into a builder, so that a pass states only what it changes. */
public final class GraphRewriter {
    private final Graph source;
    private final GraphBuilder target;
    private final ValueMap<ValueId> renamed;
    private final ValueMap<NodeId> moved;

    public GraphRewriter(Graph source) {
        this.source = source;
        this.target = new GraphBuilder(source.name());
        this.renamed = new ValueMap<>(source.values().size());
        this.moved = new ValueMap<>(source.nodes().size());
    }

    public GraphBuilder target() {
        return target;
    }

    public Graph source() {
        return source;
    }

    /** What a value of the source has become. */
    public ValueId map(ValueId old) {
        return renamed.get(old);
    }

    public List<ValueId> map(List<ValueId> old) {
        return old.stream().map(this::map).toList();
    }

    public boolean isMapped(ValueId old) {
        return renamed.contains(old);
    }

    /** From here on readers of {@code old} read {@code now}. */
    public void replace(ValueId old, ValueId now) {
        renamed.put(old, now);
        source.value(old).mark().ifPresent(mark -> target.mark(now, mark));
    }

    public void copyInputs() {
        source.inputs().forEach(input -> copyInput(input, source.type(input.value())));
    }

    /** Copies one input under a type that may differ from its old one. */
    public ValueId copyInput(GraphInput input, TensorType type) {
        Value old = source.value(input.value());
        ValueId now = target.input(input, old.name(), type);
        carry(old, now);
        return now;
    }

    /** Copies a node as it is, reading what its operands have become. */
    public List<ValueId> copy(Node node) {
        return copy(node, node.op(), source.types(node.results()));
    }

    /** Copies a node under another operation with results of other types. */
    public List<ValueId> copy(Node node, Op op, List<TensorType> types) {
        target.at(node.origin()).as(node.role());
        List<String> names =
                node.results().stream().map(id -> source.value(id).name()).toList();
        Optional<NodeId> original = node.clonedFrom().map(id -> moved.get(new ValueId(id.index())));
        List<ValueId> results = target.append(op, map(node.operands()), types, names, original);
        moved.put(new ValueId(node.id().index()), target.lastNode().id());
        for (int i = 0; i < results.size(); i++) {
            carry(source.value(node.results().get(i)), results.get(i));
        }
        return results;
    }

    private void carry(Value old, ValueId now) {
        target.carry(old, now);
        renamed.put(old.id(), now);
    }

    public void copyOutputs() {
        source.outputs().forEach(output -> target.output(output.name(), map(output.value())));
    }

    public Graph build() {
        return target.build();
    }

    /** Copies the outputs, which are what lacks. */
    public Graph complete() {
        copyOutputs();
        return build();
    }

    /** The graph that has the inputs and outputs of the source, and what is written for each of its nodes in order. */
    public Graph rewrite(Consumer<Node> write) {
        copyInputs();
        source.nodes().forEach(write);
        return complete();
    }

    /** The source with other nodes for those that are meant, or itself where none is. */
    public static Graph replace(Graph source, Predicate<Node> meant, BiConsumer<Node, GraphRewriter> write) {
        if (source.nodes().stream().noneMatch(meant)) {
            return source;
        }
        GraphRewriter rewriter = new GraphRewriter(source);
        return rewriter.rewrite(node -> {
            if (meant.test(node)) {
                write.accept(node, rewriter);
            } else {
                rewriter.copy(node);
            }
        });
    }
}
