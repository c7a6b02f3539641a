package dev.remat.compiler.onnx;

import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.op.NormStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which module each node is in, by the names of weights and the order of nodes alone: a graph that comes back from a
 * file has these, whatever its layers without weights were, and so is written with the same names again.
 *
 * <p>What reads a weight is in the module of that weight. Anything else is in the innermost module around all that it
 * reads; where that says little, a sum of a block and what went into it, in the innermost module with a number around
 * what was computed last. What no weight has gone into is in none, and says nothing.
 */
final class PlaceInModules {
    /** Around a value's reader, and when it was computed. */
    private record Place(String module, int at) {}

    private final Map<ValueId, String> weights;
    private final Set<String> modules;
    private final Place[] around;
    private final String[] scopes;

    private PlaceInModules(int values, Map<ValueId, String> weights) {
        this.weights = new LinkedHashMap<>(weights);
        this.modules = new TreeSet<>(weights.values());
        this.around = new Place[values];
        this.scopes = new String[values];
    }

    /**
     * Paths with dots of the modules around the node of each value.
     *
     * @param weights modules of those that are exported
     * @param nodes those that are exported
     */
    static String[] run(Graph graph, Map<ValueId, String> weights, List<Node> nodes) {
        PlaceInModules place = new PlaceInModules(graph.values().size(), weights);
        for (int at = 0; at < nodes.size(); at++) {
            place.run(nodes.get(at), at);
        }
        for (Node node : nodes.reversed()) {
            if (node.op() instanceof NormStatistics) {
                place.asItsReader(node, nodes);
            }
        }
        for (int i = 0; i < place.scopes.length; i++) {
            place.scopes[i] = place.scopes[i] == null ? "" : place.scopes[i];
        }
        return place.scopes;
    }

    private void run(Node node, int at) {
        List<ValueId> owned =
                node.operands().stream().filter(weights::containsKey).toList();
        Place place;
        String scope;
        if (owned.isEmpty()) {
            place = together(node);
            scope = place == null ? null : place.module();
            place = place == null ? null : new Place(scope, at);
        } else {
            scope = weights.get(owned.getFirst());
            place = new Place(hasInner(scope) ? scope : parent(scope), at);
        }
        for (ValueId result : node.results()) {
            scopes[result.index()] = scope;
            around[result.index()] = place;
            if (owned.size() == node.operands().size() && !owned.isEmpty()) {
                weights.put(result, scope);
            }
        }
    }

    private Place together(Node node) {
        Place last = null;
        String common = null;
        for (ValueId operand : node.operands()) {
            Place place = around[operand.index()];
            if (place != null) {
                common = common == null ? place.module() : common(common, place.module());
                last = last == null || place.at() > last.at() ? place : last;
            }
        }
        if (last == null) {
            return null;
        }
        String numbered = numbered(last.module());
        return new Place(numbered.length() > common.length() ? numbered : common, last.at());
    }

    private void asItsReader(Node statistics, List<Node> nodes) {
        nodes.stream()
                .filter(node -> node.operands().stream().anyMatch(statistics.results()::contains))
                .findFirst()
                .ifPresent(reader -> statistics
                        .results()
                        .forEach(result -> scopes[result.index()] =
                                scopes[reader.results().getFirst().index()]));
    }

    private boolean hasInner(String module) {
        return module.isEmpty() || modules.stream().anyMatch(each -> each.startsWith(module + "."));
    }

    private static String parent(String module) {
        return module.substring(0, Math.max(module.lastIndexOf('.'), 0));
    }

    private static String common(String a, String b) {
        String common = a;
        while (!common.isEmpty() && !common.equals(b) && !b.startsWith(common + ".")) {
            common = parent(common);
        }
        return common;
    }

    /** The innermost module around it whose name ends with a number; empty if none is. */
    private static String numbered(String module) {
        String numbered = module;
        while (!numbered.isEmpty()
                && !numbered.substring(numbered.lastIndexOf('.') + 1).chars().allMatch(Character::isDigit)) {
            numbered = parent(numbered);
        }
        return numbered;
    }
}
