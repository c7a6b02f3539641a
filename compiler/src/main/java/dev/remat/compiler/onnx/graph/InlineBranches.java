package dev.remat.compiler.onnx.graph;

import dev.remat.compiler.onnx.read.OnnxAttribute;
import dev.remat.compiler.onnx.read.OnnxGraphBody;
import dev.remat.compiler.onnx.read.OnnxNode;
import dev.remat.compiler.onnx.read.OnnxTensor;
import dev.remat.compiler.onnx.read.ValueInfo;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SequencedSet;

/** Puts the nodes of branches that are taken in the place of the nodes that decide. */
public final class InlineBranches {
    private final List<OnnxGraphBody> taken;
    private final List<OnnxNode> result = new ArrayList<>();
    private final SequencedMap<String, OnnxTensor> initializers;
    private final SequencedSet<String> known = new LinkedHashSet<>();

    private InlineBranches(PreparedGraph graph, List<OnnxGraphBody> taken) {
        this.taken = taken;
        this.initializers = new LinkedHashMap<>(graph.initializers());
        known.addAll(initializers.keySet());
        graph.inputs().forEach(input -> known.add(input.name()));
        graph.nodes().forEach(node -> known.addAll(node.outputs()));
    }

    /** @param taken graphs, of attributes of the graph's nodes and of nodes in them */
    public static PreparedGraph run(PreparedGraph graph, List<OnnxGraphBody> taken) {
        InlineBranches inline = new InlineBranches(graph, taken);
        graph.nodes().forEach(node -> inline.add(node, new LinkedHashMap<>()));
        return new PreparedGraph(inline.result, inline.initializers, graph.inputs(), graph.outputs());
    }

    /** Whether a node is one that decides. */
    public static boolean decides(OnnxNode node) {
        return node.operator().equals("If") && node.domain().isEmpty();
    }

    @SuppressWarnings("ReferenceEquality") // Two nodes may have branches that are equal, and take one of them.
    private boolean isTaken(OnnxGraphBody graph) {
        return taken.stream().anyMatch(each -> each == graph);
    }

    private void add(OnnxNode node, SequencedMap<String, String> names) {
        Optional<OnnxGraphBody> branch = decides(node)
                ? node.attributes().values().stream()
                        .flatMap(attribute -> attribute.graphs().stream())
                        .filter(this::isTaken)
                        .findFirst()
                : Optional.empty();
        if (branch.isEmpty()) {
            result.add(renamed(node, names));
            return;
        }
        OnnxGraphBody graph = branch.get();
        SequencedMap<String, String> inner = new LinkedHashMap<>(names);
        SequencedSet<String> made = new LinkedHashSet<>();
        graph.nodes().forEach(each -> made.addAll(each.outputs()));
        for (OnnxTensor tensor : graph.initializers()) {
            String name = fresh(tensor.name());
            inner.put(tensor.name(), name);
            initializers.put(name, tensor.named(name));
        }
        for (String name : made) {
            inner.put(name, fresh(name));
        }
        List<OnnxNode> copies = new ArrayList<>();
        for (int i = 0; i < node.outputs().size() && i < graph.outputs().size(); i++) {
            String outer =
                    names.getOrDefault(node.outputs().get(i), node.outputs().get(i));
            String output = graph.outputs().get(i).name();
            boolean isOnce = graph.outputs().stream()
                            .map(ValueInfo::name)
                            .filter(output::equals)
                            .count()
                    == 1;
            if (made.contains(output) && isOnce) {
                inner.put(output, outer);
            } else {
                String value = inner.getOrDefault(output, output);
                copies.add(new OnnxNode(
                        node.name(),
                        "",
                        "Identity",
                        List.of(value),
                        List.of(outer),
                        new LinkedHashMap<>(),
                        node.metadata()));
            }
        }
        graph.nodes().forEach(each -> add(each, inner));
        result.addAll(copies);
    }

    private String fresh(String wish) {
        String name = wish;
        for (int i = 1; !wish.isEmpty() && !known.add(name); i++) {
            name = wish + "_" + i;
        }
        return name;
    }

    private static OnnxNode renamed(OnnxNode node, SequencedMap<String, String> names) {
        if (names.isEmpty()) {
            return node;
        }
        SequencedMap<String, OnnxAttribute> attributes = new LinkedHashMap<>(node.attributes());
        return new OnnxNode(
                node.name(),
                node.domain(),
                node.operator(),
                node.inputs().stream()
                        .map(name -> names.getOrDefault(name, name))
                        .toList(),
                node.outputs().stream()
                        .map(name -> names.getOrDefault(name, name))
                        .toList(),
                attributes,
                node.metadata());
    }
}
