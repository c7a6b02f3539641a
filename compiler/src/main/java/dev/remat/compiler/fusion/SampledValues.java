package dev.remat.compiler.fusion;

import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.Literal;
import dev.remat.ir.op.Select;
import java.util.List;
import java.util.Optional;

/**
 * Which images are asked for some pixels only, and which have nothing but zeros elsewhere. The first is found from
 * readers to what they read, the second from gradients to what is made of them.
 */
final class SampledValues {
    private final Graph graph;
    private final ValueMap<List<NodeId>> consumers;
    /** Convolutions' transposes that had better give whole images, because somebody reads them. */
    private final boolean[] whole;

    private ValueMap<Sampling> hollow;
    private final ValueMap<Sampling> asked;
    private final boolean[] askedWhole;

    private SampledValues(Graph graph) {
        this.graph = graph;
        this.consumers = graph.consumers();
        this.whole = new boolean[graph.nodes().size()];
        this.hollow = new ValueMap<>(graph.values().size());
        this.asked = new ValueMap<>(graph.values().size());
        this.askedWhole = new boolean[graph.values().size()];
    }

    static SampledValues of(Graph graph) {
        SampledValues values = new SampledValues(graph);
        do {
            values.findHollow();
        } while (values.giveUp());
        values.findAsked();
        return values;
    }

    /** The pixels that a node computes, if those are not all of its result's. */
    Optional<Sampling> computed(Node node) {
        return node.results().size() == 1 ? computed(node.results().getFirst()) : Optional.empty();
    }

    private Optional<Sampling> computed(ValueId value) {
        return hollow.find(value).or(() -> isSampled(value) ? asked.find(value) : Optional.empty());
    }

    /** Whether a value has zeros wherever it is not computed. */
    boolean isHollow(ValueId value) {
        return hollow.contains(value);
    }

    /** Whether nobody asks for more of what an elementwise node makes. */
    private boolean isSampled(ValueId value) {
        return asked.contains(value)
                && !askedWhole[value.index()]
                && graph.value(value).pin().isEmpty()
                && graph.value(value)
                        .producer()
                        .map(graph::node)
                        .filter(SampledValues::isPointwise)
                        .isPresent();
    }

    private static boolean isPointwise(Node node) {
        return node.op() instanceof Elementwise op
                && !(op instanceof Literal)
                && op.drawnOrdinal().isEmpty()
                && node.results().size() == 1;
    }

    private void findHollow() {
        hollow = new ValueMap<>(graph.values().size());
        for (Node node : graph.nodes()) {
            hollow(node).ifPresent(sampling -> hollow.put(node.results().getFirst(), sampling));
        }
    }

    /** Finds convolutions' transposes whose hollow results would be filled at once; tells whether there were any. */
    private boolean giveUp() {
        boolean found = false;
        for (Node node : graph.nodes()) {
            if (node.op() instanceof ConvTranspose2d
                    && isFilledAtOnce(node.results().getFirst())) {
                whole[node.id().index()] = true;
                found = true;
            }
        }
        return found;
    }

    private boolean isFilledAtOnce(ValueId value) {
        return hollow.contains(value)
                && (isOutput(value)
                        || consumers.get(value).stream()
                                .map(graph::node)
                                .anyMatch(reader -> reader.results().isEmpty()
                                        || !hollow.contains(reader.results().getFirst())));
    }

    private boolean isOutput(ValueId value) {
        return graph.outputs().stream().anyMatch(output -> output.value().equals(value));
    }

    private Optional<Sampling> hollow(Node node) {
        if (node.results().size() != 1
                || graph.value(node.results().getFirst()).pin().isPresent()) {
            return Optional.empty();
        }
        if (node.op() instanceof ConvTranspose2d && !whole[node.id().index()]) {
            return sampling(node);
        }
        if (node.op() instanceof Binary op && (op.kind() == Binary.Kind.ADD || op.kind() == Binary.Kind.SUB)) {
            return both(node.operands().get(0), node.operands().get(1));
        }
        return node.op() instanceof Select
                ? both(node.operands().get(1), node.operands().get(2))
                : Optional.empty();
    }

    /** What two values have in common that are hollow or zero, one of them hollow. */
    private Optional<Sampling> both(ValueId a, ValueId b) {
        Optional<Sampling> first = hollow.find(a);
        Optional<Sampling> second = hollow.find(b);
        if (first.isPresent() && (first.equals(second) || isZero(b))) {
            return first;
        }
        return isZero(a) ? second : Optional.empty();
    }

    private boolean isZero(ValueId value) {
        return graph.value(value)
                .producer()
                .filter(node -> graph.node(node).op() instanceof Constant constant && constant.value() == 0)
                .isPresent();
    }

    private Optional<Sampling> sampling(Node node) {
        return Sampling.of(node.op(), graph.types(node.operands()), graph.types(node.results()));
    }

    private void findAsked() {
        graph.outputs().forEach(output -> askedWhole[output.value().index()] = true);
        for (Node node : graph.nodes().reversed()) {
            for (int i = 0; i < node.operands().size(); i++) {
                ask(node.operands().get(i), asks(node, i));
            }
        }
    }

    /** The pixels of an operand that a node asks for; empty if all. */
    private Optional<Sampling> asks(Node node, int operand) {
        if (operand == 0 && (node.op() instanceof Conv2d || node.op() instanceof Conv2dWeightGradient)) {
            return sampling(node);
        }
        return computed(node).filter(sampling -> isImage(node, node.operands().get(operand)));
    }

    /** Whether a node's operand is read pixel by pixel as the result is made. */
    boolean isImage(Node node, ValueId operand) {
        TensorType result = graph.type(node.results().getFirst());
        return node.op() instanceof Elementwise && graph.type(operand).shape().equals(result.shape());
    }

    private void ask(ValueId value, Optional<Sampling> pixels) {
        if (pixels.isEmpty() || asked.contains(value) && !asked.get(value).equals(pixels.get())) {
            askedWhole[value.index()] = true;
        } else {
            asked.put(value, pixels.get());
        }
    }
}
