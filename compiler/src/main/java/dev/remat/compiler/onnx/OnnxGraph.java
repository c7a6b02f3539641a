package dev.remat.compiler.onnx;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** A graph of ONNX as it is built up: operators in order, small constants by value. */
final class OnnxGraph {
    private record Operator(
            String type,
            String scope,
            String name,
            List<String> inputs,
            List<String> outputs,
            List<Attribute> attributes) {}

    private final OnnxOpset opset;
    private final List<Operator> operators = new ArrayList<>();
    private final SequencedMap<String, ProtoMessage> constants = new LinkedHashMap<>();
    private final List<ProtoMessage> inputs = new ArrayList<>();
    private final List<ProtoMessage> outputs = new ArrayList<>();
    private final List<ProtoMessage> weights = new ArrayList<>();
    private final Map<String, String> renamed = new LinkedHashMap<>();
    private final Set<String> tensors = new LinkedHashSet<>();
    private final Set<String> names = new LinkedHashSet<>();

    /** @param taken names that tensors are given from outside */
    OnnxGraph(OnnxOpset opset, Set<String> taken) {
        this.opset = opset;
        tensors.addAll(taken);
    }

    OnnxOpset opset() {
        return opset;
    }

    void input(String name, TensorType type) {
        inputs.add(OnnxTypes.valueInfo(name, type));
    }

    void weight(OnnxWeight weight) {
        weights.add(OnnxTypes.tensor(weight));
    }

    /**
     * Makes a tensor an output.
     *
     * @param name which is kept free for it
     */
    void output(String name, TensorType type, String tensor) {
        boolean computed = operators.stream().anyMatch(each -> each.outputs().contains(tensor));
        if (computed && !renamed.containsKey(tensor)) {
            renamed.put(tensor, name);
        } else {
            renamed.put(add("", "Identity", List.of(tensor)), name);
        }
        outputs.add(OnnxTypes.valueInfo(name, type));
    }

    /**
     * Applies an operator.
     *
     * @param scope path of the layers around it, with dots
     * @param operands an empty name where an optional one is left out
     * @return name of the result
     */
    String add(String scope, String type, List<String> operands, Attribute... attributes) {
        return add(scope, type, operands, 1, attributes).getFirst();
    }

    /** The same with several results. */
    List<String> add(String scope, String type, List<String> operands, int results, Attribute... attributes) {
        String name = unique(path(scope) + "/" + type, names);
        List<String> outs = new ArrayList<>();
        for (int i = 0; i < results; i++) {
            outs.add(unique(name + "_output_" + i, tensors));
        }
        operators.add(new Operator(type, scope, name, operands, outs, List.of(attributes)));
        return outs;
    }

    /** A name that is not taken, and is from here on. */
    private static String unique(String name, Set<String> taken) {
        String free = name;
        for (int i = 1; !taken.add(free); i++) {
            free = name + "_" + i;
        }
        return free;
    }

    /** {@code /block.0/attention} of {@code block.0.attention}: numbers stay with the name before them. */
    private static String path(String scope) {
        StringBuilder path = new StringBuilder();
        for (String segment : scope.isEmpty() ? new String[0] : scope.split("\\.")) {
            boolean number = !path.isEmpty() && segment.chars().allMatch(Character::isDigit);
            path.append(number ? '.' : '/').append(segment);
        }
        return path.toString();
    }

    /** A tensor without axes. */
    String scalar(DType dtype, double value) {
        return constant(dtype, List.of(), new double[] {value}, dtype.label() + " " + OnnxTypes.text(dtype, value));
    }

    /** A row of i64. */
    String row(List<Long> values) {
        return constant(
                DType.I64,
                List.of((long) values.size()),
                values.stream().mapToDouble(Long::doubleValue).toArray(),
                values.toString());
    }

    String row(long... values) {
        return row(LongStream.of(values).boxed().toList());
    }

    /** Any small tensor. */
    String constant(DType dtype, List<Long> shape, double[] values) {
        return constant(
                dtype,
                shape,
                values,
                dtype.label() + shape + " "
                        + Arrays.stream(values)
                                .mapToObj(v -> OnnxTypes.text(dtype, v))
                                .collect(Collectors.joining(" ")));
    }

    private final SequencedMap<String, String> known = new LinkedHashMap<>();

    private String constant(DType dtype, List<Long> shape, double[] values, String key) {
        return known.computeIfAbsent(key, _ -> {
            String name = unique("/constant/" + (key.length() > 24 ? "tensor" : key), tensors);
            constants.put(name, OnnxTypes.tensor(name, dtype, shape, OnnxTypes.raw(dtype, values)));
            return name;
        });
    }

    /** A {@code GraphProto}. */
    ProtoMessage message(String name) {
        ProtoMessage graph = new ProtoMessage();
        operators.forEach(operator -> graph.message(1, message(operator)));
        graph.text(2, name);
        weights.forEach(weight -> graph.message(5, weight));
        operators.stream()
                .flatMap(operator -> operator.inputs().stream())
                .distinct()
                .filter(constants::containsKey)
                .forEach(constant -> graph.message(5, constants.get(constant)));
        inputs.forEach(input -> graph.message(11, input));
        outputs.forEach(output -> graph.message(12, output));
        return graph;
    }

    private ProtoMessage message(Operator operator) {
        ProtoMessage node = new ProtoMessage();
        operator.inputs().forEach(input -> node.text(1, renamed.getOrDefault(input, input)));
        operator.outputs().forEach(output -> node.text(2, renamed.getOrDefault(output, output)));
        node.text(3, operator.name()).text(4, operator.type());
        operator.attributes().forEach(attribute -> node.message(5, attribute.message()));
        if (opset.hasNodeMetadata() && !operator.scope().isEmpty()) {
            node.message(9, OnnxTypes.entry("pkg.torch.onnx.name_scopes", scopes(operator)));
        }
        return node;
    }

    /** As PyTorch writes them: the path of each layer around, from the outside in, then the operator. */
    private static String scopes(Operator operator) {
        List<String> paths = new ArrayList<>(List.of(""));
        String path = "";
        for (String part : path(operator.scope()).substring(1).split("/")) {
            path = path.isEmpty() ? part : path + "." + part;
            paths.add(path);
        }
        paths.add(operator.name().substring(operator.name().lastIndexOf('/') + 1));
        return paths.stream().map(each -> "'" + each + "'").collect(Collectors.joining(", ", "[", "]"));
    }
}
