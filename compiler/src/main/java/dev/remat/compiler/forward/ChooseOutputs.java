package dev.remat.compiler.forward;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.Reshape;
import java.util.List;

/** Leaves a model those outputs that somebody reads who does not train it. */
public final class ChooseOutputs {
    private static final String LOGITS = "logits";

    private ChooseOutputs() {}

    /**
     * The model with the outputs that are named; where none are, those that it declares, else what its cross-entropies
     * score, if that is one tensor, as {@code logits}, else its losses.
     *
     * @param option of the command line that names them, for messages
     * @throws ModelException if the forward graph has no value of a name (E0201)
     */
    public static ElaboratedModel run(ElaboratedModel model, List<String> names, String option) {
        Graph forward = model.forward();
        if (!names.isEmpty()) {
            List<GraphOutput> all =
                    ForwardValues.asOutputs(model, names, option).forward().outputs();
            return with(
                    model,
                    names.stream()
                            .distinct()
                            .map(name -> all.stream()
                                    .filter(output -> output.name().equals(name))
                                    .findFirst()
                                    .orElseThrow())
                            .toList());
        }
        List<GraphOutput> declared = forward.outputs().stream()
                .filter(output -> !ExecutionPlan.isLoss(output.name()))
                .toList();
        if (!declared.isEmpty()) {
            return with(model, declared);
        }
        List<ValueId> scored = forward.nodes().stream()
                .filter(node -> node.op() instanceof CrossEntropy)
                .map(node -> source(forward, node.operands().getFirst()))
                .distinct()
                .toList();
        return scored.size() == 1 ? with(model, List.of(new GraphOutput(LOGITS, scored.getFirst()))) : model;
    }

    /** What a value is another shape of. */
    private static ValueId source(Graph graph, ValueId value) {
        return graph.value(value)
                .producer()
                .map(graph::node)
                .filter(node -> node.op() instanceof Reshape)
                .map(node -> source(graph, node.operands().getFirst()))
                .orElse(value);
    }

    private static ElaboratedModel with(ElaboratedModel model, List<GraphOutput> outputs) {
        Graph forward = model.forward();
        return model.with(new Graph(forward.name(), forward.inputs(), forward.nodes(), forward.values(), outputs));
    }
}
