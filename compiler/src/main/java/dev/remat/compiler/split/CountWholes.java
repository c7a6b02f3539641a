package dev.remat.compiler.split;

import dev.remat.compiler.batch.Accumulators;
import dev.remat.compiler.split.SplitMicroBatches.Whole;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Origin;
import dev.remat.ir.graph.Role;
import java.util.List;
import java.util.Optional;

/** The part of a micro-batch's graph that makes what the whole batch needs beforehand, and adds it up. */
final class CountWholes {
    private CountWholes() {}

    /** Empty if nothing is needed. */
    static Optional<Graph> run(Graph body, List<Whole> wholes, int microBatches) {
        if (wholes.isEmpty()) {
            return Optional.empty();
        }
        boolean[] needed = new boolean[body.values().size()];
        wholes.forEach(whole -> needed[whole.part().index()] = true);
        for (Node node : body.nodes().reversed()) {
            if (node.results().stream().anyMatch(result -> needed[result.index()])) {
                node.operands().forEach(operand -> needed[operand.index()] = true);
            }
        }
        GraphRewriter rewriter = new GraphRewriter(body);
        GraphBuilder builder = rewriter.target();
        for (GraphInput input : body.inputs()) {
            if (needed[input.value().index()]) {
                rewriter.copyInput(input, body.type(input.value()));
            }
        }
        List<ValueId> accumulators = wholes.stream()
                .map(whole -> input(body, whole.accumulator()))
                .map(input -> rewriter.copyInput(input, body.type(input.value())))
                .toList();
        body.nodes().stream()
                .filter(node -> node.results().stream().anyMatch(result -> needed[result.index()]))
                .forEach(rewriter::copy);
        for (int i = 0; i < wholes.size(); i++) {
            ValueId part = rewriter.map(wholes.get(i).part());
            builder.at(Origin.NONE).as(Role.FORWARD);
            if (wholes.get(i).counts()) {
                Accumulators.add(builder, accumulators.get(i), part);
            } else {
                Accumulators.addShare(builder, accumulators.get(i), part, microBatches);
            }
        }
        return Optional.of(builder.build());
    }

    private static GraphInput input(Graph body, ValueId value) {
        return body.inputs().stream()
                .filter(input -> input.value().equals(value))
                .findFirst()
                .orElseThrow();
    }
}
