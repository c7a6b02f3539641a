package dev.remat.compiler.training;

import dev.remat.compiler.batch.Accumulators;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Origin;
import dev.remat.ir.graph.Role;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Lets outputs be those of the whole batch: real numbers are the mean of those of the micro-batches, whole numbers
 * their sum.
 *
 * <pre>
 * before: output "loss" %3
 * after:  %4 = mul(%3, 0.25)  %5 = accumulate(%accumulated.loss, %4, %micro_batch)   output "loss" %5
 * </pre>
 */
final class AccumulateOutputs {
    private AccumulateOutputs() {}

    /** @param names of the outputs; others stay */
    static Graph run(Graph graph, Set<String> names, int microBatches) {
        GraphRewriter rewriter = new GraphRewriter(graph);
        GraphBuilder builder = rewriter.target();
        rewriter.copyInputs();
        Map<String, ValueId> accumulators = new LinkedHashMap<>();
        for (GraphOutput output : graph.outputs()) {
            if (names.contains(output.name())) {
                accumulators.put(output.name(), Accumulators.of(builder, output.name(), graph.type(output.value())));
            }
        }
        graph.nodes().forEach(rewriter::copy);
        for (GraphOutput output : graph.outputs()) {
            ValueId value = rewriter.map(output.value());
            ValueId accumulator = accumulators.get(output.name());
            if (accumulator != null) {
                builder.as(Role.BACKWARD).at(Origin.NONE);
                value = builder.type(value).dtype().isFloat()
                        ? Accumulators.addShare(builder, accumulator, value, microBatches)
                        : Accumulators.add(builder, accumulator, value);
            }
            builder.output(output.name(), value);
        }
        return builder.build();
    }
}
