package dev.remat.compiler.report;

import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Value;
import java.util.ArrayList;
import java.util.List;

/**
 * A tensor that the forward pass keeps for the rest of the step.
 *
 * @param scope path of the layers that compute it
 * @param reason such as {@code segment-boundary}
 */
public record RetainedTensor(String name, long bytes, Location location, String scope, String reason) {
    /** All of them, in the order in which they are computed. */
    static List<RetainedTensor> of(Graph graph) {
        List<RetainedTensor> retained = new ArrayList<>();
        for (Value value : graph.values()) {
            if (value.retained().isPresent() && value.producer().isPresent()) {
                Node node = graph.node(value.producer().get());
                retained.add(new RetainedTensor(
                        value.name(),
                        value.type().bytes(),
                        node.origin().location(),
                        node.origin().scope(),
                        value.retained().get()));
            }
        }
        return retained;
    }
}
