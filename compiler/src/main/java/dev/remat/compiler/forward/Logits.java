package dev.remat.compiler.forward;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.Node;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.Reshape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The scores of the next token in a model that was trained to foresee it. */
public record Logits(ElaboratedModel model, ValueId value) {
    private static final String OPTION = "--logits";

    /**
     * Finds them: the value of a name, else the output {@code logits}, else what the model's cross-entropies read, if
     * that is one tensor.
     *
     * @return empty if there is neither
     * @throws dev.remat.ir.diagnostic.ModelException if there is no value of that name (E0201)
     */
    public static Optional<Logits> find(ElaboratedModel model, Optional<String> name) {
        Graph forward = model.forward();
        if (name.isPresent()) {
            return Optional.of(new Logits(
                    model, ForwardValues.find(forward, name.get(), OPTION).id()));
        }
        Optional<ValueId> output = forward.outputs().stream()
                .filter(each -> each.name().equals("logits"))
                .map(GraphOutput::value)
                .findFirst();
        List<ValueId> scored = forward.nodes().stream()
                .filter(node -> node.op() instanceof CrossEntropy)
                .map(node -> node.operands().getFirst())
                .toList();
        long sources =
                scored.stream().map(value -> source(forward, value)).distinct().count();
        return output.or(() -> sources == 1 ? Optional.of(scored.getFirst()) : Optional.empty())
                .map(value -> new Logits(model, value));
    }

    /** What {@code value} is another shape of. */
    private static ValueId source(Graph graph, ValueId value) {
        ValueId source = value;
        for (Node node : graph.nodes().reversed()) {
            if (node.op() instanceof Reshape && node.results().getFirst().equals(source)) {
                source = node.operands().getFirst();
            }
        }
        return source;
    }

    /** The model with them as an output of that name. */
    public ElaboratedModel asOutput(String name) {
        Graph forward = model.forward();
        List<GraphOutput> outputs = new ArrayList<>(forward.outputs());
        outputs.removeIf(output -> output.name().equals(name));
        outputs.add(new GraphOutput(name, value));
        return model.with(new Graph(forward.name(), forward.inputs(), forward.nodes(), forward.values(), outputs));
    }

    /** Names of the inputs that they depend on, parameters and states included. */
    public List<String> inputs() {
        Graph forward = model.forward();
        boolean[] needed = new boolean[forward.values().size()];
        needed[value.index()] = true;
        for (Node node : forward.nodes().reversed()) {
            if (node.results().stream().anyMatch(result -> needed[result.index()])) {
                node.operands().forEach(operand -> needed[operand.index()] = true);
            }
        }
        return forward.inputs().stream()
                .filter(input -> needed[input.value().index()])
                .map(input -> forward.value(input.value()).name())
                .toList();
    }
}
