package dev.remat.compiler.onnx.graph;

import dev.remat.compiler.onnx.read.DamagedOnnxException;
import dev.remat.compiler.onnx.read.OnnxAttribute;
import dev.remat.compiler.onnx.read.OnnxFunction;
import dev.remat.compiler.onnx.read.OnnxModel;
import dev.remat.compiler.onnx.read.OnnxNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/** Puts the nodes of a file's own functions in the place of nodes that apply them. */
final class InlineFunctions {
    private static final int MOST_DEPTH = 32;
    private static final long MOST_NODES = 1_000_000;

    private final SequencedMap<String, OnnxFunction> functions = new LinkedHashMap<>();
    private final List<OnnxNode> result = new ArrayList<>();
    private long applications;

    private InlineFunctions(OnnxModel model) {
        model.functions().forEach(function -> functions.put(key(function.domain(), function.name()), function));
    }

    static List<OnnxNode> run(OnnxModel model) {
        InlineFunctions inline = new InlineFunctions(model);
        if (inline.functions.isEmpty()) {
            return model.graph().nodes();
        }
        inline.expect(model.graph().nodes());
        model.graph().nodes().forEach(node -> inline.add(node, 0));
        return inline.result;
    }

    private static String key(String domain, String name) {
        return (domain.equals("ai.onnx") ? "" : domain) + "::" + name;
    }

    /** Counts before anything is copied: functions of functions grow with every level. */
    private void expect(List<OnnxNode> nodes) {
        SequencedMap<String, Long> sizes = new LinkedHashMap<>();
        long sum = nodes.stream().mapToLong(node -> size(node, sizes, 0)).reduce(0, InlineFunctions::bounded);
        if (sum > MOST_NODES) {
            throw new DamagedOnnxException(
                    "with its functions inlined the graph has more than " + MOST_NODES + " nodes");
        }
    }

    private static long bounded(long a, long b) {
        return Math.min(a + b, MOST_NODES + 1);
    }

    private long size(OnnxNode node, SequencedMap<String, Long> sizes, int depth) {
        String key = key(node.domain(), node.operator());
        OnnxFunction function = functions.get(key);
        if (function == null) {
            return 1;
        }
        if (depth == MOST_DEPTH) {
            throw new DamagedOnnxException("function '" + function.name()
                    + "' applies itself, or functions lie more than " + MOST_DEPTH + " deep");
        }
        Long known = sizes.get(key);
        if (known == null) {
            known = function.nodes().stream()
                    .mapToLong(each -> size(each, sizes, depth + 1))
                    .reduce(0, InlineFunctions::bounded);
            sizes.put(key, known);
        }
        return known;
    }

    private void add(OnnxNode node, int depth) {
        OnnxFunction function = functions.get(key(node.domain(), node.operator()));
        if (function == null) {
            result.add(node);
            return;
        }
        String prefix = (node.name().isEmpty() ? function.name() + "_" + applications : node.name()) + "/";
        applications++;
        Map<String, String> names = new LinkedHashMap<>();
        for (int i = 0; i < function.inputs().size(); i++) {
            names.put(
                    function.inputs().get(i),
                    i < node.inputs().size() ? node.inputs().get(i) : "");
        }
        for (int i = 0; i < function.outputs().size(); i++) {
            names.put(
                    function.outputs().get(i),
                    i < node.outputs().size() && !node.outputs().get(i).isEmpty()
                            ? node.outputs().get(i)
                            : prefix + function.outputs().get(i));
        }
        Map<String, OnnxAttribute> given = new LinkedHashMap<>();
        function.defaults().forEach(each -> given.put(each.name(), each));
        given.putAll(node.attributes());
        for (OnnxNode each : function.nodes()) {
            add(inlined(each, prefix, names, given, node.metadata()), depth + 1);
        }
    }

    private static OnnxNode inlined(
            OnnxNode node,
            String prefix,
            Map<String, String> names,
            Map<String, OnnxAttribute> given,
            Map<String, String> around) {
        Map<String, OnnxAttribute> attributes = new LinkedHashMap<>();
        node.attributes().forEach((name, attribute) -> {
            if (attribute.reference().isEmpty()) {
                attributes.put(name, attribute);
            } else if (given.containsKey(attribute.reference())) {
                attributes.put(name, given.get(attribute.reference()).named(name));
            }
        });
        return new OnnxNode(
                prefix + node.name(),
                node.domain(),
                node.operator(),
                node.inputs().stream().map(name -> renamed(name, prefix, names)).toList(),
                node.outputs().stream()
                        .map(name -> renamed(name, prefix, names))
                        .toList(),
                attributes,
                node.metadata().isEmpty() ? around : node.metadata());
    }

    private static String renamed(String name, String prefix, Map<String, String> names) {
        return name.isEmpty() ? "" : names.getOrDefault(name, prefix + name);
    }
}
