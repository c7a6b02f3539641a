package dev.remat.compiler.pipeline;

import dev.remat.compiler.training.RoundGraphs;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.MicroBatchUpdate;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.ToIntFunction;

/**
 * The parts that a model is cut into.
 *
 * @param nodes of forward nodes of the graph that was cut, by the names of their first results
 */
public record ModelParts(SequencedMap<String, Integer> nodes) {
    public ModelParts {
        nodes = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(nodes));
    }

    /**
     * Parts of forward nodes in a graph that may have more of them, such as what ranks gather: these stand where the
     * first node does that reads them.
     */
    public ToIntFunction<Node> of(Graph graph) {
        int[] parts = new int[graph.nodes().size()];
        ValueMap<List<NodeId>> consumers = graph.consumers();
        for (Node node : graph.nodes().reversed()) {
            Integer known = node.results().isEmpty()
                    ? null
                    : nodes.get(graph.value(node.results().getFirst()).name());
            parts[node.id().index()] = known == null ? firstReader(graph, consumers, node, parts) : known;
        }
        return node -> parts[node.id().index()];
    }

    private static int firstReader(Graph graph, ValueMap<List<NodeId>> consumers, Node node, int[] parts) {
        return node.results().stream()
                .flatMap(result -> consumers.get(result).stream())
                .filter(reader -> graph.node(reader).role() == Role.FORWARD)
                .mapToInt(reader -> parts[reader.index()])
                .min()
                .orElse(0);
    }

    /**
     * Parts of sums over micro-batches, by the names of their accumulators; of one that is not there, 0.
     *
     * @param rounds whose body is the graph that was cut
     */
    public ToIntFunction<String> ofSums(RoundGraphs rounds, int microBatches) {
        Graph body = rounds.body();
        int[] places = PlaceNodes.run(new StepPieces(rounds, microBatches, 1), of(body), false)
                .places();
        Map<String, Integer> sums = new LinkedHashMap<>();
        for (Node node : body.nodes()) {
            if (node.op() instanceof MicroBatchUpdate update) {
                update.writes()
                        .forEach(write -> sums.put(
                                body.value(node.operands().get(write.operand())).name(),
                                places[node.id().index()]));
            }
        }
        return accumulator -> sums.getOrDefault(accumulator, 0);
    }
}
