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
import dev.remat.ir.plan.OperatorSequence;
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
    /** Rows in the order of the model. */
    static List<LayerUse> of(Compilation compilation, List<RetainedTensor> retained) {
        Rows rows = new Rows();
        Graph graph = compilation.rematerialized().graph();
        for (PlacedSection section : compilation.sections()) {
            addFlops(rows, section);
            addCosts(rows, section);
        }
        retained.forEach(tensor -> rows.of(tensor.scope()).retainedBytes += tensor.bytes());
        for (GraphInput input : graph.inputs()) {
            if (input.kind() == InputKind.PARAMETER) {
                String name = graph.value(input.value()).name();
                String owner = name.contains(".") ? name.substring(0, name.lastIndexOf('.')) : "";
                rows.of(rows.has(owner) ? owner : "").parameters +=
                        graph.type(input.value()).elements();
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
                Row row = rows.of(node.origin().scope());
                row.flops = Math.addExact(row.flops, node.isClone() ? 0 : flops);
                row.recomputedFlops = Math.addExact(row.recomputedFlops, node.isClone() ? flops : 0);
                row.recomputedNodes += node.isClone() ? 1 : 0;
            }
        }
    }

    private static void addCosts(Rows rows, PlacedSection section) {
        PlanningProblem planning = section.planning();
        OperatorSequence sequence = section.sequence();
        boolean[] seen = new boolean[planning.problem().nodeCount()];
        for (int node : sequence.nodes().toArray()) {
            long cost = section.rounds() * planning.problem().cost(node);
            Node root = planning.fused().graph().node(planning.group(node).root());
            Row row = rows.of(root.origin().scope());
            if (seen[node]) {
                row.recomputedCost += cost;
            } else if (root.role() == Role.FORWARD) {
                row.forwardCost += cost;
            } else {
                row.backwardCost += cost;
            }
            seen[node] = true;
        }
    }

    /** A row while it is summed up. */
    private static final class Row {
        private long parameters;
        private long retainedBytes;
        private long flops;
        private long recomputedFlops;
        private int recomputedNodes;
        private long forwardCost;
        private long backwardCost;
        private long recomputedCost;
    }

    private static final class Rows {
        private final Map<String, Row> byLayer = new LinkedHashMap<>();

        Row of(String scope) {
            return byLayer.computeIfAbsent(layer(scope), layer -> new Row());
        }

        boolean has(String scope) {
            return byLayer.containsKey(layer(scope));
        }

        List<LayerUse> toList() {
            List<LayerUse> rows = new ArrayList<>();
            byLayer.forEach((layer, r) -> rows.add(new LayerUse(
                    layer,
                    r.parameters,
                    r.retainedBytes,
                    r.flops,
                    r.recomputedFlops,
                    r.recomputedNodes,
                    r.forwardCost,
                    r.backwardCost,
                    r.recomputedCost)));
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
