package dev.remat.compiler.training;

import dev.remat.compiler.batch.Accumulators;
import dev.remat.compiler.simplify.RemoveDeadNodes;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Mark;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Origin;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Accumulate;
import dev.remat.ir.op.Binary;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * Adds up the gradients of a parameter that is read in several places of the text by place: a sum over micro-batches
 * for each, which are added once, that of the first place first. So where each is known, nothing of the others is.
 *
 * <pre>
 * before: %3 = add(%head, %table)  %4 = accumulate(%accumulated.w, %3, %micro_batch)
 * after:  %3 = accumulate(%accumulated.w.use.2, %head, %micro_batch)
 *         %4 = accumulate(%accumulated.w, %table, %micro_batch)
 *         and in the updates  add(%accumulated.w, %accumulated.w.use.2)
 * </pre>
 */
final class AddByUse {
    /** What is added up of one place, in the order in which it is added. */
    private record Use(Node accumulate, int number, List<ValueId> terms) {}

    private final Graph body;
    private final ValueMap<List<NodeId>> consumers;
    /** By the name of the accumulator of all. */
    private final Map<String, List<Use>> uses = new LinkedHashMap<>();

    private AddByUse(Graph body) {
        this.body = body;
        this.consumers = body.consumers();
    }

    /** @param rounds whose body is the graph of a micro-batch */
    static RoundGraphs run(RoundGraphs rounds) {
        AddByUse pass = new AddByUse(rounds.body());
        pass.find();
        return pass.uses.isEmpty()
                ? rounds
                : new RoundGraphs(
                        rounds.counted(), pass.body(), rounds.updates().map(pass::updates));
    }

    private void find() {
        for (Node node : body.nodes()) {
            if (node.op() instanceof Accumulate) {
                List<ValueId> terms = new ArrayList<>();
                collect(node.operands().get(1), terms);
                SequencedMap<Location, List<ValueId>> places = new LinkedHashMap<>();
                // The backward pass comes to the last place first.
                for (ValueId term : terms.reversed()) {
                    places.computeIfAbsent(origin(term).location(), _ -> new ArrayList<>())
                            .addFirst(term);
                }
                if (places.size() > 1) {
                    List<Use> own = new ArrayList<>();
                    places.values().forEach(each -> own.add(new Use(node, own.size() + 1, each)));
                    uses.put(accumulator(node), own);
                }
            }
        }
    }

    private String accumulator(Node node) {
        return body.value(node.operands().getFirst()).name();
    }

    private Optional<Node> producer(ValueId value) {
        return body.value(value).producer().map(body::node);
    }

    private Origin origin(ValueId term) {
        return producer(term).map(Node::origin).orElse(Origin.NONE);
    }

    private boolean isOutput(ValueId value) {
        return body.outputs().stream().map(GraphOutput::value).anyMatch(value::equals);
    }

    /** What a gradient is the sum of. */
    private void collect(ValueId value, List<ValueId> terms) {
        Optional<Node> sum = producer(value)
                .filter(node -> node.op().equals(new Binary(Binary.Kind.ADD))
                        && body.value(value).mark().equals(Optional.of(Mark.GRADIENT))
                        && consumers.get(value).size() == 1
                        && !isOutput(value)
                        && node.operands().stream()
                                .allMatch(term -> body.type(term).equals(body.type(value))));
        if (sum.isEmpty()) {
            terms.add(value);
        } else {
            collect(sum.get().operands().getFirst(), terms);
            terms.add(sum.get().operands().getLast());
        }
    }

    private Graph body() {
        GraphRewriter rewriter = new GraphRewriter(body);
        Map<String, List<ValueId>> accumulators = inputs(rewriter);
        Map<Node, List<Use>> complete = new LinkedHashMap<>();
        uses.values()
                .forEach(own -> own.forEach(use -> complete.computeIfAbsent(last(use), _ -> new ArrayList<>())
                        .add(use)));
        Map<Use, ValueId> sums = new LinkedHashMap<>();
        for (Node node : body.nodes()) {
            List<Use> own =
                    node.op() instanceof Accumulate ? uses.getOrDefault(accumulator(node), List.of()) : List.of();
            if (own.isEmpty()) {
                rewriter.copy(node);
            }
            for (Use use : complete.getOrDefault(node, List.of())) {
                ValueId accumulator =
                        accumulators.get(accumulator(use.accumulate())).get(use.number() - 1);
                sums.put(use, add(rewriter, use, accumulator));
            }
            if (!own.isEmpty()) {
                ValueId all = node.results().getFirst();
                List<ValueId> added = own.stream().map(sums::get).toList();
                boolean isRead = isOutput(all) || !consumers.get(all).isEmpty();
                rewriter.replace(all, isRead ? total(rewriter.target(), added) : added.getFirst());
            }
        }
        return RemoveDeadNodes.run(rewriter.complete());
    }

    /** The node behind which all of a use is there. */
    private Node last(Use use) {
        return use.terms().stream()
                .flatMap(term -> producer(term).stream())
                .max((a, b) -> Integer.compare(a.id().index(), b.id().index()))
                .orElse(use.accumulate());
    }

    private ValueId add(GraphRewriter rewriter, Use use, ValueId accumulator) {
        GraphBuilder builder = rewriter.target();
        builder.at(origin(use.terms().getLast())).as(Role.BACKWARD);
        ValueId term = rewriter.map(use.terms()).stream().reduce(builder::add).orElseThrow();
        builder.mark(term, Mark.GRADIENT);
        builder.at(use.accumulate().origin());
        return Accumulators.add(builder, accumulator, term);
    }

    private static ValueId total(GraphBuilder builder, List<ValueId> sums) {
        builder.at(Origin.NONE).as(Role.BACKWARD);
        ValueId total = sums.stream().reduce(builder::add).orElseThrow();
        builder.mark(total, Mark.GRADIENT);
        return total;
    }

    /** All inputs, with an accumulator for each use: these, by the name of the first. */
    private Map<String, List<ValueId>> inputs(GraphRewriter rewriter) {
        Graph graph = rewriter.source();
        GraphBuilder builder = rewriter.target();
        Map<String, List<ValueId>> accumulators = new LinkedHashMap<>();
        for (GraphInput input : graph.inputs()) {
            ValueId first = rewriter.copyInput(input, graph.type(input.value()));
            String name = builder.value(first).name();
            List<ValueId> all = new ArrayList<>(List.of(first));
            for (int use = 2; use <= uses.getOrDefault(name, List.of()).size(); use++) {
                all.add(builder.input(input, name + ".use." + use, builder.type(first)));
                builder.carry(graph.value(input.value()), all.getLast());
            }
            accumulators.put(name, all);
        }
        return accumulators;
    }

    private Graph updates(Graph graph) {
        GraphRewriter rewriter = new GraphRewriter(graph);
        Map<String, List<ValueId>> accumulators = inputs(rewriter);
        for (GraphInput input : graph.inputs()) {
            List<ValueId> sums = accumulators.get(graph.value(input.value()).name());
            if (sums.size() > 1) {
                rewriter.replace(input.value(), total(rewriter.target(), sums));
            }
        }
        graph.nodes().forEach(rewriter::copy);
        return rewriter.complete();
    }
}
