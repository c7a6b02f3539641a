package dev.remat.compiler.trace;

import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Value;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A graph as lines in which values stand by their names. */
public final class GraphLines {
    private final Graph graph;

    public GraphLines(Graph graph) {
        this.graph = graph;
    }

    /** Inputs, then nodes in their order. */
    List<IrLine> all() {
        List<IrLine> lines = inputs();
        graph.nodes().forEach(node -> lines.add(line(node)));
        return lines;
    }

    /**
     * Nodes below the heads of their groups; those in none, as views are, at the end.
     *
     * @param what a group is called
     */
    List<IrLine> grouped(String what, List<FusionGroup> groups) {
        List<IrLine> lines = inputs();
        boolean[] placed = new boolean[graph.nodes().size()];
        for (int i = 0; i < groups.size(); i++) {
            FusionGroup group = groups.get(i);
            Node root = graph.node(group.root());
            Value made = graph.value(root.results().getFirst());
            String head = "— %s %s: %s, %s, for %s"
                    .formatted(
                            what,
                            IrLine.GAP,
                            group.form().name().toLowerCase(Locale.ROOT),
                            group.role().label(),
                            IrLine.GAP);
            lines.add(new IrLine(
                    head,
                    List.of(String.valueOf(i), made.name()),
                    original(made).name(),
                    root.origin().location()));
            for (NodeId id : group.nodes()) {
                placed[id.index()] = true;
                lines.add(line(graph.node(id)));
            }
        }
        for (Node node : graph.nodes()) {
            if (!placed[node.id().index()]) {
                lines.add(line(node));
            }
        }
        return lines;
    }

    private List<IrLine> inputs() {
        List<IrLine> lines = new ArrayList<>();
        for (GraphInput input : graph.inputs()) {
            Value value = graph.value(input.value());
            String form = "input " + IrLine.GAP + " " + value.type() + " "
                    + input.kind().label();
            lines.add(new IrLine(form, List.of(value.name()), value.name(), input.location()));
        }
        return lines;
    }

    private IrLine line(Node node) {
        String results = gaps(node.results().size());
        String operands = gaps(node.operands().size());
        String types = node.results().stream()
                .map(id -> graph.value(id).type().toString())
                .collect(Collectors.joining(", "));
        String marks = node.results().stream()
                .flatMap(id -> graph.value(id).retained().stream())
                .findFirst()
                .map(reason -> " retained (" + reason + ")")
                .orElse("");
        String form = results + " = " + node.op().mnemonic() + node.op().attributes() + "(" + operands + ") " + types
                + (node.isClone() ? " again" : "") + marks;
        Value first = graph.value(node.results().getFirst());
        List<String> parts = Stream.concat(node.results().stream(), node.operands().stream())
                .map(id -> graph.value(id).name())
                .toList();
        return new IrLine(form, parts, original(first).name(), node.origin().location());
    }

    private static String gaps(int count) {
        return String.join(", ", Collections.nCopies(count, String.valueOf(IrLine.GAP)));
    }

    /** The value that a recomputation computes again, or that a copy was stored from; any other itself. */
    private Value original(Value value) {
        if (!(value.definition() instanceof Value.Result(NodeId producer, int index))) {
            return graph.stored(value);
        }
        return graph.node(producer)
                .clonedFrom()
                .map(id -> graph.value(graph.node(id).results().get(index)))
                .orElseGet(() -> graph.stored(value));
    }
}
