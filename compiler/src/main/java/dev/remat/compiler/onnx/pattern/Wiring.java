package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.graph.PrepareGraph;
import dev.remat.compiler.onnx.graph.PreparedGraph;
import dev.remat.compiler.onnx.read.OnnxAttribute;
import dev.remat.compiler.onnx.read.OnnxNode;
import dev.remat.compiler.onnx.read.OnnxTensor;
import dev.remat.compiler.onnx.read.ValueInfo;
import dev.remat.compiler.onnx.statement.Constant;
import dev.remat.ir.Dim;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Function;
import java.util.function.Predicate;

/** Who makes and who reads each value of a graph. */
final class Wiring {
    /** Domain of what patterns put in the place of nodes. */
    static final String DOMAIN = "remat";

    private final SequencedMap<String, OnnxNode> makers = new LinkedHashMap<>();
    private final SequencedMap<String, Integer> readers = new LinkedHashMap<>();
    private final SequencedMap<String, OnnxTensor> initializers;
    private final List<OnnxNode> nodes;
    private final List<ValueInfo> inputs;
    private final Function<OnnxTensor, Optional<Constant>> numbers;
    private final Predicate<OnnxTensor> hides;

    Wiring(PreparedGraph graph, Function<OnnxTensor, Optional<Constant>> numbers, Predicate<OnnxTensor> hides) {
        this.hides = hides;
        this.initializers = graph.initializers();
        this.nodes = graph.nodes();
        this.inputs = graph.inputs();
        this.numbers = numbers;
        for (OnnxNode node : graph.nodes()) {
            node.outputs().forEach(output -> makers.put(output, node));
            // A shape is known while a file is read, and no statement is left that would read the value for it.
            if (node.operator().equals("Shape")) {
                continue;
            }
            PrepareGraph.reads(node)
                    .forEach(name -> readers.merge(
                            name,
                            (int) node.inputs().stream().filter(name::equals).count(),
                            Integer::sum));
        }
        graph.outputs().forEach(name -> readers.merge(name, 1, Integer::sum));
    }

    /** The node that makes a value by an operator of ONNX, if it does. */
    Optional<OnnxNode> maker(String name, String operator) {
        return Optional.ofNullable(makers.get(name))
                .filter(node -> node.operator().equals(operator)
                        && (node.domain().isEmpty() || node.domain().equals(DOMAIN)));
    }

    /** The same, if nobody else reads the value. */
    Optional<OnnxNode> inner(String name, String operator) {
        return maker(name, operator).filter(_ -> isReadOnce(name));
    }

    /** The node that reads a value, if one does and no other. */
    Optional<OnnxNode> onlyReader(String name) {
        return isReadOnce(name)
                ? nodes.stream().filter(node -> node.inputs().contains(name)).findFirst()
                : Optional.empty();
    }

    /** Whether a value is given from outside. */
    boolean isInput(String name) {
        return inputs.stream().anyMatch(input -> input.name().equals(name));
    }

    boolean isReadOnce(String name) {
        return readers.getOrDefault(name, 0) == 1;
    }

    boolean isRead(String name, int times) {
        return readers.getOrDefault(name, 0) == times;
    }

    /** A floating point weight of so many axes, if the value is one. */
    Optional<OnnxTensor> weight(String name, int rank) {
        return tensor(name).filter(tensor -> tensor.shape().size() == rank);
    }

    /** A floating point weight, if the value is one. */
    Optional<OnnxTensor> tensor(String name) {
        return Optional.ofNullable(initializers.get(name))
                .filter(tensor ->
                        tensor.type().dtype().filter(dtype -> dtype.isFloat()).isPresent() && !hides.test(tensor));
    }

    /** The same, if nobody else reads it. */
    Optional<OnnxTensor> ownWeight(String name, int rank) {
        return weight(name, rank).filter(_ -> isReadOnce(name));
    }

    /** Numbers of a small constant. */
    Optional<Constant> constant(String name) {
        if (initializers.containsKey(name)) {
            return numbers.apply(initializers.get(name));
        }
        return maker(name, "Constant")
                .map(node -> node.attributes().get("value"))
                .filter(value -> value.tensors().size() == 1)
                .flatMap(value -> numbers.apply(value.tensors().getFirst()));
    }

    /** A lone floating point number. */
    Optional<Double> number(String name) {
        return constant(name)
                .filter(constant -> constant.size() == 1 && constant.dtype().isFloat())
                .map(constant -> constant.real(0));
    }

    boolean isNumber(String name, double wanted) {
        return number(name)
                .filter(value -> Math.abs(value - wanted) <= 1e-6 * Math.abs(wanted))
                .isPresent();
    }

    /** Whether a clip's bounds are these, by operands, or in older versions attributes. */
    boolean isBetween(OnnxNode clip, double low, double high) {
        return isBound(clip, 1, "min", low) && isBound(clip, 2, "max", high);
    }

    private boolean isBound(OnnxNode clip, int index, String attribute, double wanted) {
        OnnxAttribute given = clip.attributes().get(attribute);
        Optional<Double> bound = given != null
                ? given.reals().stream().findFirst().map(Float::doubleValue)
                : index < clip.inputs().size() ? number(clip.inputs().get(index)) : Optional.empty();
        return bound.filter(value -> value == wanted).isPresent();
    }

    /** Whether a value is a lone integer, or a vector of one. */
    boolean isInteger(String name, long wanted) {
        return constant(name)
                .filter(constant -> constant.size() == 1 && !constant.dtype().isFloat())
                .filter(constant -> constant.integers().getFirst().is(wanted))
                .isPresent();
    }

    /** Integers by an operand, or in older versions an attribute. */
    Optional<List<Long>> integers(OnnxNode node, int index, String attribute) {
        OnnxAttribute given = node.attributes().get(attribute);
        if (given != null) {
            return Optional.of(given.integers());
        }
        return index < node.inputs().size()
                ? constant(node.inputs().get(index))
                        .filter(constant -> !constant.dtype().isFloat())
                        .map(constant ->
                                constant.integers().stream().map(Dim::value).toList())
                : Optional.empty();
    }

    /** What a value was before its axes changed places in this way; empty if they did not. */
    Optional<String> transposed(String name, Long... order) {
        return maker(name, "Transpose")
                .filter(node -> node.attributes().containsKey("perm")
                        && node.attributes().get("perm").integers().equals(List.of(order)))
                .map(node -> node.inputs().getFirst());
    }

    /** The only axis that a reduction goes over, if it is one. */
    Optional<Long> axis(OnnxNode node) {
        return integers(node, 1, "axes").filter(axes -> axes.size() == 1).map(List::getFirst);
    }

    /** Whether a reduction leaves its axes with extent 1. */
    static boolean keeps(OnnxNode reduction) {
        OnnxAttribute keeps = reduction.attributes().get("keepdims");
        return keeps == null || keeps.integers().equals(List.of(1L));
    }

    /** The other operand of a node of two. */
    static Optional<String> other(OnnxNode node, String one) {
        List<String> inputs = node.inputs();
        if (inputs.size() != 2 || !inputs.contains(one)) {
            return Optional.empty();
        }
        return Optional.of(inputs.getFirst().equals(one) ? inputs.getLast() : inputs.getFirst());
    }

    /** A node in the place of another one. */
    static OnnxNode instead(OnnxNode of, String operator, List<String> inputs, OnnxAttribute... attributes) {
        return made(of, operator, inputs, of.outputs(), attributes);
    }

    /** A node beside another one. */
    static OnnxNode made(
            OnnxNode of, String operator, List<String> inputs, List<String> outputs, OnnxAttribute... attributes) {
        Map<String, OnnxAttribute> all = new LinkedHashMap<>();
        for (OnnxAttribute attribute : attributes) {
            all.put(attribute.name(), attribute);
        }
        return new OnnxNode(of.name(), DOMAIN, operator, inputs, outputs, all, of.metadata());
    }

    /** Operators by which exporters make scales of the extent of a head. */
    private static final List<String> OF_NUMBERS =
            List.of("Cast", "Div", "Identity", "Mul", "Pow", "Reciprocal", "Sqrt", "Squeeze", "Unsqueeze");

    private static final int DEEPEST = 12;

    /** Whether a value is one number that is made of one extent, such as the root of the last one. */
    boolean isOfExtent(String name) {
        return isOfExtent(name, DEEPEST);
    }

    private boolean isOfExtent(String name, int deepest) {
        OnnxNode node = makers.get(name);
        if (deepest == 0
                || node == null
                || !node.domain().isEmpty()
                || node.inputs().isEmpty()) {
            return false;
        }
        String first = node.inputs().getFirst();
        if (node.operator().equals("Gather") || node.operator().equals("Slice")) {
            return maker(first, "Shape").isPresent() && isOne(node);
        }
        return OF_NUMBERS.contains(node.operator())
                && node.inputs().stream().anyMatch(input -> isOfExtent(input, deepest - 1))
                && node.inputs().stream()
                        .allMatch(input -> constant(input)
                                        .filter(constant -> constant.size() == 1)
                                        .isPresent()
                                || isOfExtent(input, deepest - 1));
    }

    /** Whether a part of a shape is one extent. */
    private boolean isOne(OnnxNode part) {
        if (part.operator().equals("Gather")) {
            return constant(part.inputs().get(1))
                    .filter(index -> index.size() == 1)
                    .isPresent();
        }
        Optional<List<Long>> from = integers(part, 1, "starts").filter(starts -> starts.size() == 1);
        Optional<List<Long>> to = integers(part, 2, "ends").filter(ends -> ends.size() == 1);
        return from.isPresent()
                && to.isPresent()
                && (from.get().getFirst() == -1 && to.get().getFirst() > Integer.MAX_VALUE - 1
                        || from.get().getFirst() + 1 == to.get().getFirst());
    }

    static OnnxAttribute integers(String name, List<Long> values) {
        return new OnnxAttribute(name, "", values, List.of(), List.of(), List.of(), List.of());
    }

    static OnnxAttribute real(String name, double value) {
        return new OnnxAttribute(
                name, "", List.of(), new ArrayList<>(List.of((float) value)), List.of(), List.of(), List.of());
    }
}
