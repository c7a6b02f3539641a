package dev.remat.compiler.training;

import dev.remat.compiler.batch.Accumulators;
import dev.remat.compiler.training.AccumulateGradients.Accumulated;
import dev.remat.compiler.training.TrainingGraph.ParameterGradient;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Mark;
import dev.remat.ir.graph.Role;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a step does once, when its last micro-batch is through: the forward graph's own updates, then those of the
 * optimizer by accumulated gradients.
 */
final class BuildUpdates {
    private BuildUpdates() {}

    /**
     * @param effects updates of the forward graph
     * @param body graph of a micro-batch, which has the parameters
     * @param gradients as it has accumulated them
     */
    static Graph run(Graph effects, Graph body, AccumulateGradients gradients, TrainingSpec spec) {
        GraphRewriter rewriter = new GraphRewriter(effects);
        GraphBuilder builder = rewriter.target();
        rewriter.copyInputs();
        Map<String, ValueId> parameters = parameters(builder, body, gradients.parameters());
        Map<String, ValueId> accumulators = new LinkedHashMap<>();
        for (List<Accumulated> loss : gradients.complete()) {
            for (Accumulated sum : loss) {
                accumulators.put(sum.parameter(), Accumulators.of(builder, sum.parameter(), sum.type()));
                builder.mark(accumulators.get(sum.parameter()), Mark.GRADIENT);
            }
        }
        ApplyUpdates updates = new ApplyUpdates(spec);
        updates.begin(builder, List.copyOf(parameters.values()));
        effects.nodes().forEach(rewriter::copy);
        for (List<Accumulated> loss : gradients.complete()) {
            List<ParameterGradient> complete = new ArrayList<>();
            for (Accumulated sum : loss) {
                builder.as(Role.BACKWARD);
                ValueId gradient = builder.cast(
                        accumulators.get(sum.parameter()), sum.type().dtype());
                builder.mark(gradient, Mark.GRADIENT);
                complete.add(new ParameterGradient(parameters.get(sum.parameter()), gradient));
                updates.complete(builder, complete.getLast());
            }
            updates.end(builder, complete);
        }
        updates.close(builder);
        return builder.build();
    }

    private static Map<String, ValueId> parameters(GraphBuilder builder, Graph body, List<String> trained) {
        Map<String, ValueId> parameters = new LinkedHashMap<>();
        for (GraphInput input : body.inputs()) {
            String name = body.value(input.value()).name();
            if (input.kind() == InputKind.PARAMETER && trained.contains(name)) {
                parameters.put(
                        name,
                        builder.input(
                                name, body.type(input.value()), input.kind(), input.initializer(), input.location()));
            }
        }
        return parameters;
    }
}
