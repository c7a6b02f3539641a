package dev.remat.compiler.remat;

import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.Value;
import dev.remat.ir.op.View;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Marks the tensors that the forward pass keeps for the rest of the step: first computations of forward nodes that a
 * later backward node, or a recomputation for it, reads.
 */
final class MarkRetained {
    /** Why the planner keeps a value. */
    record Reason(ValueId value, String label) {}

    private static final String NEEDED = "needed";

    private MarkRetained() {}

    static Graph run(Graph graph, List<Reason> reasons) {
        String[] labels = new String[graph.values().size()];
        reasons.forEach(reason -> labels[reason.value().index()] = reason.label());
        boolean[] kept = readByRest(graph);
        List<Value> values = new ArrayList<>(graph.values().size());
        for (Value value : graph.values()) {
            int i = value.id().index();
            Optional<String> label = kept[i] ? Optional.of(labels[i] == null ? NEEDED : labels[i]) : Optional.empty();
            values.add(new Value(
                    value.id(), value.name(), value.type(), value.definition(), value.pin(), label, value.mark()));
        }
        return new Graph(graph.name(), graph.inputs(), graph.nodes(), values, graph.outputs());
    }

    private static boolean[] readByRest(Graph graph) {
        int[] buffer = new int[graph.values().size()];
        boolean[] original = new boolean[buffer.length];
        boolean[] kept = new boolean[buffer.length];
        boolean backwardBegan = false;
        graph.inputs()
                .forEach(input -> buffer[input.value().index()] = input.value().index());
        for (Node node : graph.nodes()) {
            backwardBegan |= node.role() == Role.BACKWARD || node.isClone();
            for (ValueId operand : node.operands()) {
                int base = buffer[operand.index()];
                kept[base] |= backwardBegan && original[base] && !(node.op() instanceof View);
            }
            for (ValueId result : node.results()) {
                boolean view = node.op() instanceof View;
                buffer[result.index()] =
                        view ? buffer[node.operands().getFirst().index()] : result.index();
                boolean stored = graph.type(result).dtype().bytes() > 0
                        && !node.operands().isEmpty();
                original[result.index()] = node.role() == Role.FORWARD && !node.isClone() && !view && stored;
            }
        }
        return kept;
    }
}
