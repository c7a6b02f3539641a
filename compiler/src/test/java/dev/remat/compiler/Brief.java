package dev.remat.compiler;

import dev.remat.compiler.unit.Unit;
import dev.remat.ir.Graph;
import dev.remat.ir.GraphOutput;
import dev.remat.ir.Node;
import dev.remat.ir.NodeId;
import dev.remat.ir.ValueId;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Graphs in few words, one node a line: {@code y = matmul(x, w)}; attributes, types and places are left out. */
public final class Brief {
    private Brief() {}

    /** Nodes, then outputs. */
    public static List<String> of(Graph graph) {
        return Stream.concat(
                        graph.nodes().stream().map(node -> line(graph, node)),
                        graph.outputs().stream().map(output -> line(graph, output)))
                .toList();
    }

    private static String line(Graph graph, Node node) {
        return names(graph, node.results()) + " = " + node.op().mnemonic() + "(" + names(graph, node.operands()) + ")";
    }

    private static String line(Graph graph, GraphOutput output) {
        return "output " + output.name() + " " + graph.value(output.value()).name();
    }

    public static String names(Graph graph, List<ValueId> values) {
        return values.stream().map(id -> graph.value(id).name()).collect(Collectors.joining(", "));
    }

    /** The nodes of each unit by their first results, and what it writes: {@code h y -> y}. */
    public static List<String> units(Graph graph, List<Unit> units) {
        return units.stream()
                .map(unit -> nodes(graph, unit.nodes()) + " -> " + names(graph, unit.writes()))
                .toList();
    }

    private static String nodes(Graph graph, List<NodeId> nodes) {
        return nodes.stream()
                .map(id -> graph.value(graph.node(id).results().getFirst()).name())
                .collect(Collectors.joining(" "));
    }
}
