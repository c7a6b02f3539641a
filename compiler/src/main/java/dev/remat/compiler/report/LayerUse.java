package dev.remat.compiler.report;

import dev.remat.ir.Graph;
import dev.remat.ir.GraphInput;
import dev.remat.ir.InputKind;
import dev.remat.ir.Node;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a layer of the model, at the top level, takes.
 *
 * @param layer path such as {@code block.3}; empty for what is in no layer
 * @param recomputedFlops floating point operations of its repeats
 */
public record LayerUse(
        String layer, long parameters, long retainedBytes, long flops, long recomputedFlops, int recomputedNodes) {
    /** Rows in the order of the model. */
    static List<LayerUse> of(Graph graph, List<RetainedTensor> retained) {
        Map<String, LayerUse> rows = new LinkedHashMap<>();
        for (Node node : graph.nodes()) {
            long flops = node.op().flops(graph.types(node.operands()), graph.types(node.results()));
            boolean again = node.isClone();
            add(rows, node.origin().scope(), 0, 0, again ? 0 : flops, again ? flops : 0, again ? 1 : 0);
        }
        retained.forEach(tensor -> add(rows, tensor.scope(), 0, tensor.bytes(), 0, 0, 0));
        for (GraphInput input : graph.inputs()) {
            if (input.kind() == InputKind.PARAMETER) {
                String name = graph.value(input.value()).name();
                String owner = name.contains(".") ? name.substring(0, name.lastIndexOf('.')) : "";
                String layer = rows.containsKey(topLevel(owner)) ? owner : "";
                add(rows, layer, graph.type(input.value()).elements(), 0, 0, 0, 0);
            }
        }
        return new ArrayList<>(rows.values());
    }

    private static void add(
            Map<String, LayerUse> rows, String scope, long parameters, long retained, long flops, long recomputedFlops,
            int recomputedNodes) {
        String layer = topLevel(scope);
        LayerUse row = rows.getOrDefault(layer, new LayerUse(layer, 0, 0, 0, 0, 0));
        rows.put(layer, new LayerUse(
                layer,
                row.parameters + parameters,
                row.retainedBytes + retained,
                Math.addExact(row.flops, flops),
                Math.addExact(row.recomputedFlops, recomputedFlops),
                row.recomputedNodes + recomputedNodes));
    }

    /** The first name of a path and its number, if it has one. */
    private static String topLevel(String scope) {
        int first = scope.indexOf('.');
        if (first < 0) {
            return scope;
        }
        int second = scope.indexOf('.', first + 1);
        String next = scope.substring(first + 1, second < 0 ? scope.length() : second);
        boolean numbered = !next.isEmpty() && next.chars().allMatch(c -> c >= '0' && c <= '9');
        return numbered ? scope.substring(0, first + 1 + next.length()) : scope.substring(0, first);
    }
}
