package dev.remat.compiler.ranks;

import dev.remat.ir.DType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.ElementwiseUpdate;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.SumOfSquares;
import dev.remat.ir.op.Update;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The update of a parameter that goes element by element, so that ranks can each update a share of it to the same bits,
 * with that of its average if it has one.
 *
 * @param update of the parameter, operand 0
 * @param cast of the sum to the gradient, where these are of different dtypes
 */
record ShareableUpdate(Node update, Optional<Node> cast, Optional<Node> average, Rule rule) {
    /**
     * What updates have in common that may be one.
     *
     * @param others operands that are no tensors of the parameter's size
     * @param normed whether gradients are part of a norm
     */
    record Rule(
            Op op,
            List<ValueId> others,
            DType parameter,
            DType gradient,
            Optional<Op> average,
            List<ValueId> ofAverage,
            boolean normed) {}

    /** Those of a graph of updates by the names of the sums that they go by. */
    static Map<String, ShareableUpdate> all(Graph updates) {
        ValueMap<List<NodeId>> consumers = updates.consumers();
        Map<String, ShareableUpdate> found = new LinkedHashMap<>();
        for (GraphInput input : updates.inputs()) {
            if (input.kind() == InputKind.ACCUMULATOR) {
                find(updates, consumers, input.value())
                        .ifPresent(
                                update -> found.put(updates.value(input.value()).name(), update));
            }
        }
        return found;
    }

    private static Optional<ShareableUpdate> find(Graph graph, ValueMap<List<NodeId>> consumers, ValueId sum) {
        Optional<Node> cast = consumers.get(sum).stream()
                .map(graph::node)
                .filter(node -> node.op() instanceof Cast)
                .findFirst();
        ValueId gradient = cast.map(node -> node.results().getFirst()).orElse(sum);
        List<Node> updates = consumers.get(gradient).stream()
                .map(graph::node)
                .filter(node -> node.op() instanceof Update)
                .toList();
        return updates.size() == 1 && suits(graph, consumers, updates.getFirst(), gradient)
                ? with(graph, consumers, cast, updates.getFirst(), gradient)
                : Optional.empty();
    }

    private static boolean suits(Graph graph, ValueMap<List<NodeId>> consumers, Node node, ValueId gradient) {
        boolean byElement = ElementwiseUpdate.in((Update) node.op())
                .filter(update -> update.isByElement(graph.types(node.operands())))
                .isPresent();
        return byElement
                && node.operands().get(1).equals(gradient)
                && changed(node).stream()
                        .allMatch(operand -> graph.value(operand).producer().isEmpty()
                                && consumers.get(operand).equals(List.of(node.id())));
    }

    private static Optional<ShareableUpdate> with(
            Graph graph, ValueMap<List<NodeId>> consumers, Optional<Node> cast, Node node, ValueId gradient) {
        List<Node> readers = node.results().stream()
                .flatMap(result -> consumers.get(result).stream())
                .map(graph::node)
                .toList();
        if (readers.size() > 1
                || readers.stream()
                        .anyMatch(reader -> !isAverage(reader, node.results().getFirst()))) {
            return Optional.empty();
        }
        Optional<Node> average = readers.stream().findFirst();
        List<ValueId> others =
                new ArrayList<>(node.operands().subList(2, node.operands().size()));
        others.removeAll(changed(node));
        Rule rule = new Rule(
                node.op(),
                others,
                graph.type(node.operands().getFirst()).dtype(),
                graph.type(gradient).dtype(),
                average.map(Node::op),
                average.map(each -> each.operands().subList(2, each.operands().size()))
                        .orElse(List.of()),
                consumers.get(gradient).stream()
                        .anyMatch(reader -> graph.node(reader).op() instanceof SumOfSquares));
        return Optional.of(new ShareableUpdate(node, cast, average, rule));
    }

    /** Of readers of what updates have made, which updates something by it. */
    private static boolean isAverage(Node node, ValueId made) {
        return node.op() instanceof Update update
                && ElementwiseUpdate.in(update).isPresent()
                && node.operands().indexOf(made) == 1;
    }

    /** The parameter and what the optimizer keeps of it. */
    private static List<ValueId> changed(Node node) {
        return ((Update) node.op())
                .writes().stream()
                        .map(write -> node.operands().get(write.operand()))
                        .toList();
    }

    /** The sum, in the dtype that it is updated by. */
    ValueId gradient() {
        return update.operands().get(1);
    }

    ValueId parameter() {
        return update.operands().getFirst();
    }

    /** What the optimizer keeps of the parameter, by the operands that they are. */
    List<Integer> states() {
        return ((Update) update.op())
                .writes().stream()
                        .map(Update.Write::operand)
                        .filter(operand -> operand > 0)
                        .toList();
    }
}
