package dev.remat.compiler.forward;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.error.Suggestion;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Lets a caller read tensors of the forward pass after a step. */
public final class ForwardValues {
    private ForwardValues() {}

    /**
     * The model with more outputs, each named as the value is.
     *
     * @param option of the command line that names them, for messages
     * @throws ModelException if the forward graph has no value of a name (E0201)
     */
    public static ElaboratedModel asOutputs(ElaboratedModel model, List<String> names, String option) {
        Graph forward = model.forward();
        List<GraphOutput> outputs = new ArrayList<>(forward.outputs());
        for (String name : names) {
            boolean known = outputs.stream().anyMatch(output -> output.name().equals(name));
            if (!known) {
                outputs.add(new GraphOutput(name, find(forward, name, option).id()));
            }
        }
        Graph extended = new Graph(forward.name(), forward.inputs(), forward.nodes(), forward.values(), outputs);
        return model.with(extended);
    }

    /** @throws ModelException if there is no value of the name (E0201) */
    public static Value find(Graph forward, String name, String option) {
        Optional<Value> found = forward.values().stream()
                .filter(value -> value.name().equals(name))
                .findFirst();
        return found.orElseThrow(
                () -> unknown(name, forward.values().stream().map(Value::name).toList(), option));
    }

    /**
     * What to tell of a name that no value has (E0201).
     *
     * @param known names that may have been meant
     * @param option of the command line that gave it
     */
    public static ModelException unknown(String name, List<String> known, String option) {
        String[] notes = Suggestion.note(name, known).stream().toArray(String[]::new);
        return new ModelException(List.of(Diagnostic.error(
                "E0201", new Location(option, 1, 1), "there is no value named '" + name + "'", notes)));
    }
}
