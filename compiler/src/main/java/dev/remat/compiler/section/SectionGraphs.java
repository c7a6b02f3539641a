package dev.remat.compiler.section;

import dev.remat.compiler.training.RoundGraphs;
import dev.remat.compiler.training.StepGraph;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.InputKind;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The graphs of a step by sections. They share tensors by the names of inputs alone, and the body has the inputs of
 * all, so that whoever plans it knows what lies in the arena throughout.
 *
 * @param counted what has to be known of the whole batch before; run for each micro-batch
 * @param body run for each micro-batch; the whole step where there is one
 * @param updates run once, when every micro-batch is through
 * @param microBatches how many there are; of several ranks, for each
 */
public record SectionGraphs(
        Optional<StepGraph> counted, StepGraph body, Optional<StepGraph> updates, int microBatches) {
    /** In the order in which they run. */
    public List<Graph> all() {
        return Stream.of(counted, Optional.of(body), updates)
                .flatMap(Optional::stream)
                .map(StepGraph::graph)
                .toList();
    }

    /** The same with another body, of the same inputs. */
    public SectionGraphs withBody(StepGraph other) {
        return new SectionGraphs(counted, other, updates, microBatches);
    }

    /** A step that is not cut into micro-batches. */
    public static SectionGraphs whole(StepGraph step) {
        return new SectionGraphs(Optional.empty(), step, Optional.empty(), 1);
    }

    /**
     * Of a step that is cut into micro-batches.
     *
     * @param drawn gives a graph that draws random numbers what its target reads for that
     */
    static SectionGraphs of(RoundGraphs rounds, int microBatches, UnaryOperator<Graph> drawn) {
        Set<String> names = new LinkedHashSet<>();
        Graph planned = drawn.apply(withoutUnread(rounds.body(), names));
        Optional<Graph> before =
                rounds.counted().map(graph -> withoutUnread(graph, names)).map(drawn);
        Optional<Graph> after =
                rounds.updates().map(graph -> withoutUnread(graph, names)).map(drawn);
        Graph body = withInputs(
                planned, Stream.concat(before.stream(), after.stream()).toList());
        return new SectionGraphs(
                before.map(StepGraph::new), new StepGraph(body), after.map(StepGraph::new), microBatches);
    }

    /**
     * Without accumulators that nothing reads.
     *
     * @param names that results of other sections have, which those of this one do not take; its own are added
     */
    private static Graph withoutUnread(Graph graph, Set<String> names) {
        Set<Integer> read = new LinkedHashSet<>();
        graph.nodes().forEach(node -> node.operands().forEach(operand -> read.add(operand.index())));
        GraphRewriter rewriter = new GraphRewriter(graph);
        for (GraphInput input : graph.inputs()) {
            if (input.kind() != InputKind.ACCUMULATOR
                    || read.contains(input.value().index())) {
                rewriter.copyInput(input, graph.type(input.value()));
            }
        }
        names.forEach(rewriter.target()::reserve);
        Graph copy = copied(rewriter);
        copy.nodes()
                .forEach(node -> node.results()
                        .forEach(result -> names.add(copy.value(result).name())));
        return copy;
    }

    /** With inputs of other graphs behind its own. */
    private static Graph withInputs(Graph graph, List<Graph> others) {
        GraphRewriter rewriter = new GraphRewriter(graph);
        rewriter.copyInputs();
        Set<String> names = new LinkedHashSet<>();
        graph.inputs().forEach(input -> names.add(graph.value(input.value()).name()));
        for (Graph other : others) {
            for (GraphInput input : other.inputs()) {
                String name = other.value(input.value()).name();
                if (names.add(name)) {
                    ValueId taken = rewriter.target().input(input, name, other.type(input.value()));
                    rewriter.target().carry(other.value(input.value()), taken);
                }
            }
        }
        return copied(rewriter);
    }

    private static Graph copied(GraphRewriter rewriter) {
        rewriter.source().nodes().forEach(rewriter::copy);
        return rewriter.complete();
    }
}
