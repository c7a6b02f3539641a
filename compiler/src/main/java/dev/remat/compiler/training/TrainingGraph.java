package dev.remat.compiler.training;

import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import java.util.List;

/**
 * The whole step: forward, backward and update nodes in one static graph.
 *
 * @param loss the scalar that the step minimises
 * @param gradients gradient of every trained parameter, in the order in which they are complete
 */
public record TrainingGraph(Graph graph, ValueId loss, List<ParameterGradient> gradients) {
    /** A parameter, its gradient, and where the gradient is complete. */
    public record ParameterGradient(ValueId parameter, ValueId gradient) {}

    public TrainingGraph {
        gradients = List.copyOf(gradients);
    }
}
