package dev.remat.ir.graph;

import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.Contiguous;
import dev.remat.ir.op.MicroBatchUpdate;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.ShapeException;
import dev.remat.ir.op.Update;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Checks what every graph promises: dense ids in order, definitions before uses, types as the shape rules give them,
 * unique names, updates marked as such and never cloned, accumulators that nothing reads before a micro-batch is in
 * them and that take micro-batches in their order, clones equal to their originals but for operands.
 */
public final class GraphVerifier {
    private final Graph graph;
    private final ValueMap<List<NodeId>> consumers;

    private GraphVerifier(Graph graph) {
        this.graph = graph;
        this.consumers = graph.consumers();
    }

    /** @throws VerificationException at the first broken promise */
    public static void verify(Graph graph) {
        new GraphVerifier(graph).run();
    }

    private void run() {
        Set<String> names = new LinkedHashSet<>();
        for (int i = 0; i < graph.values().size(); i++) {
            Value value = graph.values().get(i);
            require(value.id().index() == i, "value %s stands at place %s", value.id(), i);
            require(names.add(value.name()), "two values are called %s", value.name());
        }
        boolean[] defined = new boolean[graph.values().size()];
        graph.inputs().forEach(input -> defined[input.value().index()] = true);
        for (int i = 0; i < graph.nodes().size(); i++) {
            Node node = graph.nodes().get(i);
            require(node.id().index() == i, "node %s stands at place %s", node.id(), i);
            verify(node, defined);
        }
        for (GraphOutput output : graph.outputs()) {
            require(defined[output.value().index()], "output %s is never computed", output.name());
        }
    }

    private void verify(Node node, boolean[] defined) {
        for (ValueId operand : node.operands()) {
            require(defined[operand.index()], "%s reads %s before it is computed", describe(node), operand);
        }
        try {
            List<TensorType> expected = node.op().infer(graph.types(node.operands()));
            List<TensorType> actual = graph.types(node.results());
            require(expected.equals(actual), "%s gives %s, not %s", describe(node), expected, actual);
        } catch (ShapeException e) {
            throw new VerificationException(describe(node) + ": " + e.getMessage());
        }
        for (int i = 0; i < node.results().size(); i++) {
            ValueId result = node.results().get(i);
            require(!defined[result.index()], "%s is computed twice", result);
            defined[result.index()] = true;
            require(
                    graph.value(result).definition().equals(new Value.Result(node.id(), i)),
                    "%s does not know that %s computes it",
                    result,
                    describe(node));
        }
        require(
                !(node.op() instanceof Update) || node.role() == Role.UPDATE,
                "%s has an effect but role %s",
                describe(node),
                node.role());
        if (node.op() instanceof MicroBatchUpdate update) {
            verifyOfMicroBatch(node, update);
        }
        node.clonedFrom().ifPresent(original -> verifyClone(node, graph.node(original)));
    }

    /**
     * An accumulator has nothing in it before the first micro-batch: one node adds to it, and no other reads it so.
     * Where a graph holds several micro-batches, one node for each adds to what that of the one before has left.
     */
    private void verifyOfMicroBatch(Node node, MicroBatchUpdate update) {
        List<ValueId> operands = node.operands();
        ValueId number = number(node);
        OptionalLong constant = constant(number);
        require(
                isInput(number, InputKind.MICRO_BATCH) || constant.isPresent(),
                "%s counts micro-batches by %s",
                describe(node),
                number);
        for (Update.Write write : update.writes()) {
            ValueId accumulator = operands.get(write.operand());
            if (constant.orElse(0) == 0) {
                require(
                        isInput(accumulator, InputKind.ACCUMULATOR),
                        "%s adds to %s, which is no accumulator",
                        describe(node),
                        accumulator);
            } else {
                long before = constant.getAsLong() - atOnce(node, update);
                require(
                        isLeftBy(update, write, before, accumulator),
                        "%s adds to %s, which is not what micro-batch %s has left",
                        describe(node),
                        accumulator,
                        before);
            }
            require(
                    consumers.get(accumulator).size() == 1,
                    "%s adds to %s, whose content before is read by others",
                    describe(node),
                    accumulator);
        }
    }

    /** Of how many micro-batches a node adds what they have computed: one of each rank. */
    private int atOnce(Node node, MicroBatchUpdate update) {
        return MicroBatchUpdate.pieces(
                graph.type(node.operands().getFirst()),
                graph.type(node.operands().get(update.writes().size())));
    }

    private static ValueId number(Node node) {
        return node.operands().get(MicroBatchUpdate.numberIndex(node.operands()));
    }

    /** The number that a constant is, copied or not. */
    private OptionalLong constant(ValueId number) {
        Optional<Node> producer = graph.value(number).producer().map(graph::node);
        if (producer.isEmpty()) {
            return OptionalLong.empty();
        }
        Op op = producer.get().op();
        if (op instanceof Contiguous) {
            return constant(producer.get().operands().getFirst());
        }
        return op instanceof Constant constant ? OptionalLong.of((long) constant.value()) : OptionalLong.empty();
    }

    /** Whether a value is what an update like {@code update} has made of {@code write} in a micro-batch before. */
    private boolean isLeftBy(MicroBatchUpdate update, Update.Write write, long microBatch, ValueId value) {
        return graph.value(value).definition() instanceof Value.Result(NodeId producer, int result)
                && result == write.result()
                && graph.node(producer).op().equals(update)
                && constant(number(graph.node(producer))).equals(OptionalLong.of(microBatch));
    }

    private boolean isInput(ValueId value, InputKind kind) {
        return graph.inputs().stream().anyMatch(input -> input.value().equals(value) && input.kind() == kind);
    }

    private void verifyClone(Node clone, Node original) {
        require(
                clone.role() != Role.UPDATE && !(clone.op() instanceof Update),
                "%s is a cloned update",
                describe(clone));
        require(original.id().index() < clone.id().index(), "%s comes before its original", describe(clone));
        require(clone.op().equals(original.op()), "%s repeats %s as another operation", describe(clone), original.id());
    }

    /** A node in words, put together only where a message needs them. */
    private record Described(Node node) {
        @Override
        public String toString() {
            return node.id() + " " + node.op().mnemonic() + " (" + node.origin().location() + ")";
        }
    }

    private static Described describe(Node node) {
        return new Described(node);
    }

    private static void require(boolean condition, String message, Object... arguments) {
        if (!condition) {
            throw new VerificationException(message.formatted(arguments));
        }
    }
}
