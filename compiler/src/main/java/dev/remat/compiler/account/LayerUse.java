package dev.remat.compiler.account;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.fusion.Carriers;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.section.PlacedSection;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Role;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a layer of the model, with all layers inside it, takes in a step. Costs are in the cost model of the
 * compilation.
 *
 * @param layer path up to its first number, such as {@code block.3}; empty for what is in no layer
 * @param parameters number of elements
 * @param flops floating point operations without recomputations
 * @param forwardCost of its forward kernels, without recomputations
 * @param backwardCost of its backward and update kernels
 */
public record LayerUse(
        String layer,
        long parameters,
        long retainedBytes,
        long flops,
        long recomputedFlops,
        int recomputedNodes,
        long forwardCost,
        long backwardCost,
        long recomputedCost) {
    /** What is summed up for each layer, in the order of the components. */
    private enum Sum {
        PARAMETERS,
        RETAINED_BYTES,
        FLOPS,
        RECOMPUTED_FLOPS,
        RECOMPUTED_NODES,
        FORWARD_COST,
        BACKWARD_COST,
        RECOMPUTED_COST
    }

    /** Rows in the order of the model. */
    static List<LayerUse> of(Compilation compilation, List<RetainedTensor> retained) {
        Rows rows = new Rows();
        for (PlacedSection section : compilation.sections()) {
            addFlops(rows, section);
            addCosts(rows, section);
        }
        retained.forEach(tensor -> rows.add(tensor.scope(), Sum.RETAINED_BYTES, tensor.bytes()));
        Graph graph = compilation.rematerialized().graph();
        for (GraphInput input : graph.inputs()) {
            if (input.kind() == InputKind.PARAMETER) {
                String name = graph.value(input.value()).name();
                String owner = name.contains(".") ? name.substring(0, name.lastIndexOf('.')) : "";
                rows.add(
                        rows.has(owner) ? owner : "",
                        Sum.PARAMETERS,
                        graph.type(input.value()).elements());
            }
        }
        return rows.toList();
    }

    private static void addFlops(Rows rows, PlacedSection section) {
        Graph graph = section.rematerialized().graph();
        for (List<NodeId> step : section.rematerialized().steps()) {
            Set<NodeId> carriers = Carriers.of(graph, step);
            for (NodeId id : step) {
                Node node = graph.node(id);
                long flops = carriers.contains(id)
                        ? 0
                        : section.rounds() * node.op().flops(graph.types(node.operands()), graph.types(node.results()));
                String scope = node.origin().scope();
                rows.add(scope, node.isClone() ? Sum.RECOMPUTED_FLOPS : Sum.FLOPS, flops);
                rows.add(scope, Sum.RECOMPUTED_NODES, node.isClone() ? 1 : 0);
            }
        }
    }

    private static void addCosts(Rows rows, PlacedSection section) {
        PlanningProblem planning = section.planning();
        boolean[] seen = new boolean[planning.problem().nodeCount()];
        for (int node : section.sequence().nodes().toArray()) {
            Node root = planning.fused().graph().node(planning.group(node).root());
            Sum first = root.role() == Role.FORWARD ? Sum.FORWARD_COST : Sum.BACKWARD_COST;
            rows.add(
                    root.origin().scope(),
                    seen[node] ? Sum.RECOMPUTED_COST : first,
                    section.rounds() * planning.problem().cost(node));
            seen[node] = true;
        }
    }

    /** Sums by layer. */
    private static final class Rows {
        private final Map<String, long[]> byLayer = new LinkedHashMap<>();

        void add(String scope, Sum sum, long amount) {
            long[] sums = byLayer.computeIfAbsent(layer(scope), layer -> new long[Sum.values().length]);
            sums[sum.ordinal()] = Math.addExact(sums[sum.ordinal()], amount);
        }

        boolean has(String scope) {
            return byLayer.containsKey(layer(scope));
        }

        List<LayerUse> toList() {
            List<LayerUse> rows = new ArrayList<>();
            byLayer.forEach(
                    (layer, s) -> rows.add(new LayerUse(layer, s[0], s[1], s[2], s[3], (int) s[4], s[5], s[6], s[7])));
            return rows;
        }

        /** A path up to its first number; its first name where it has none. */
        private static String layer(String scope) {
            int end = scope.indexOf('.');
            if (end < 0) {
                return scope;
            }
            String first = scope.substring(0, end);
            while (end < scope.length()) {
                int next = scope.indexOf('.', end + 1);
                next = next < 0 ? scope.length() : next;
                if (scope.substring(end + 1, next).chars().allMatch(c -> c >= '0' && c <= '9')) {
                    return scope.substring(0, next);
                }
                end = next;
            }
            return first;
        }
    }
}
