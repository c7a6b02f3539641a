package dev.remat.compiler.account;

import dev.remat.compiler.remat.RematerializedGraph;
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
public record RetainedTensor(Value value, Location location, String scope, String reason) {
    /**
     * All of them, in the order in which they are computed.
     *
     * @param source before recomputations
     */
    static List<RetainedTensor> all(RematerializedGraph planned, Graph source) {
        List<RetainedTensor> retained = new ArrayList<>();
        for (Value value : planned.graph().values()) {
            if (value.retained().isPresent() && value.producer().isPresent()) {
                Node node = planned.graph().node(value.producer().get());
                retained.add(new RetainedTensor(
                        source.value(planned.from().get(value.id())),
                        node.origin().location(),
                        node.origin().scope(),
                        value.retained().get()));
            }
        }
        return retained;
    }

    public long bytes() {
        return value.type().bytes();
    }
}
