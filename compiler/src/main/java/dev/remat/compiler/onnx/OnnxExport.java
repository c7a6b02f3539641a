package dev.remat.compiler.onnx;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Node;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A forward graph as a model of ONNX. Its outputs are the graph's, its inputs those that they depend on; symbols are
 * named dimensions, and weights are initializers.
 */
public final class OnnxExport {
    private static final String DOMAIN = "";

    private final Graph graph;
    private final OnnxOpset opset;
    private final boolean[] given;
    private final boolean[] needed;

    /**
     * A graph to export.
     *
     * @param graph of a forward pass
     * @param given values that are inputs, besides those of the graph
     */
    public OnnxExport(Graph graph, OnnxOpset opset, List<ValueId> given) {
        this.graph = graph;
        this.opset = opset;
        this.given = new boolean[graph.values().size()];
        given.forEach(value -> this.given[value.index()] = true);
        this.needed = needed();
    }

    private boolean[] needed() {
        boolean[] reached = new boolean[graph.values().size()];
        graph.outputs().forEach(output -> reached[output.value().index()] = true);
        for (Node node : graph.nodes().reversed()) {
            if (isNeeded(node, reached)) {
                node.operands().forEach(operand -> reached[operand.index()] = true);
            }
        }
        return reached;
    }

    private boolean isNeeded(Node node, boolean[] reached) {
        return node.results().stream().anyMatch(result -> reached[result.index()] && !given[result.index()]);
    }

    /** Names and types of the inputs, in the order of the model. */
    public Map<String, TensorType> inputs() {
        Map<String, TensorType> inputs = new LinkedHashMap<>();
        for (GraphInput input : graph.inputs()) {
            if (input.kind() == InputKind.DATA && needed[input.value().index()]) {
                inputs.put(name(input.value()), graph.type(input.value()));
            }
        }
        graph.values().stream()
                .filter(value -> given[value.id().index()] && needed[value.id().index()])
                .forEach(value -> inputs.put(value.name(), value.type()));
        return inputs;
    }

    /** Names and types of the outputs. */
    public Map<String, TensorType> outputs() {
        Map<String, TensorType> outputs = new LinkedHashMap<>();
        graph.outputs().forEach(output -> outputs.put(output.name(), graph.type(output.value())));
        return outputs;
    }

    /** Names and types of the parameters and states that are needed, in the order in which they are read. */
    public Map<String, TensorType> weights() {
        Set<ValueId> persistent = graph.inputs().stream()
                .filter(input -> input.kind().isPersistent())
                .map(GraphInput::value)
                .collect(Collectors.toCollection(LinkedHashSet::new));
        Map<String, TensorType> weights = new LinkedHashMap<>();
        Stream.concat(
                        graph.nodes().stream()
                                .filter(node -> isNeeded(node, needed))
                                .flatMap(node -> node.operands().stream()),
                        graph.outputs().stream().map(GraphOutput::value))
                .filter(persistent::contains)
                .forEach(value -> weights.put(name(value), graph.type(value)));
        return weights;
    }

    private String name(ValueId value) {
        return graph.value(value).name();
    }

    /**
     * The model, as a {@code ModelProto}.
     *
     * @param weights those that are there; what none of the {@link #weights} uses is left out
     * @param uses how each of the {@link #weights} is had from them
     * @param producer version of remat
     * @throws ModelException naming everything that cannot be said in ONNX (E0801, E0802)
     */
    public ProtoMessage run(List<OnnxWeight> weights, Function<String, WeightUse> uses, String producer) {
        Map<String, OnnxWeight> byName = new LinkedHashMap<>();
        weights.forEach(weight -> byName.put(weight.name(), weight));
        Set<String> used = weights().keySet().stream()
                .map(name -> uses.apply(name).weight())
                .collect(Collectors.toCollection(LinkedHashSet::new));
        Map<String, TensorType> inputs = inputs();
        Set<String> taken = new LinkedHashSet<>(inputs.keySet());
        taken.addAll(used);
        graph.outputs().forEach(output -> taken.add(output.name()));
        OnnxGraph out = new OnnxGraph(opset, taken);
        inputs.forEach(out::input);
        used.forEach(name -> out.weight(byName.get(name)));
        RuntimeExtents extents = new RuntimeExtents(out, symbols(inputs));
        List<Node> nodes =
                graph.nodes().stream().filter(node -> isNeeded(node, needed)).toList();
        String[] modules = PlaceInModules.run(graph, modules(), nodes);
        HeldTensors tensors = new HeldTensors(graph, out, extents, modules);
        inputs.keySet().forEach(name -> tensors.put(find(name), name));
        for (GraphInput input : graph.inputs()) {
            if (input.kind().isPersistent() && needed[input.value().index()]) {
                WeightUse use = uses.apply(name(input.value()));
                tensors.put(input.value(), weight(out, use, byName.get(use.weight()), graph.type(input.value())));
            }
        }
        TranslateGraph translation = new TranslateGraph(graph, out, extents, tensors);
        nodes.forEach(translation::run);
        if (translation.refusals().isEmpty()) {
            finish(out, tensors, translation.refusals());
        }
        List<Diagnostic> refusals = translation.refusals();
        if (!refusals.isEmpty()) {
            throw new ModelException(refusals.stream().distinct().toList());
        }
        return model(out.message(graph.name()), producer);
    }

    private void finish(OnnxGraph out, HeldTensors tensors, List<Diagnostic> refusals) {
        for (GraphOutput output : graph.outputs()) {
            try {
                out.output(output.name(), graph.type(output.value()), tensors.whole(output.value()));
            } catch (NotInOnnxException e) {
                refusals.add(Diagnostic.error(
                        e.code(),
                        graph.location(output.value()),
                        "the output '" + output.name() + "' " + e.getMessage(),
                        e.wayOut()));
            }
        }
    }

    private ValueId find(String name) {
        return graph.values().stream()
                .filter(value -> value.name().equals(name))
                .findFirst()
                .orElseThrow()
                .id();
    }

    /** Where each symbol is the extent of an axis. */
    private static Map<String, RuntimeExtents.Axis> symbols(Map<String, TensorType> inputs) {
        Map<String, RuntimeExtents.Axis> symbols = new LinkedHashMap<>();
        inputs.forEach((name, type) -> {
            for (int axis = 0; axis < type.rank(); axis++) {
                Dim dim = type.dim(axis);
                if (Dim.symbol(dim.toString()).equals(dim)) {
                    symbols.putIfAbsent(dim.toString(), new RuntimeExtents.Axis(name, axis));
                }
            }
        });
        return symbols;
    }

    /** One of the model's tensors, of the dtype that it has there. */
    private static String weight(OnnxGraph out, WeightUse use, OnnxWeight weight, TensorType type) {
        String tensor = weight.name();
        String scope = scope(tensor);
        if (use.transposed()) {
            tensor = out.add(scope, "Transpose", List.of(tensor), Attribute.of("perm", List.of(1, 0)));
        }
        if (use.rows().isPresent()) {
            WeightUse.Rows rows = use.rows().get();
            tensor = out.add(scope, "Slice", List.of(tensor, out.row(rows.begin()), out.row(rows.end()), out.row(0)));
        }
        DType dtype = type.dtype();
        return weight.dtype() == dtype
                ? tensor
                : out.add(scope, "Cast", List.of(tensor), Attribute.of("to", OnnxTypes.number(dtype)));
    }

    /** Of the weights that are needed, the modules that have them. */
    private Map<ValueId, String> modules() {
        Set<String> exported = weights().keySet();
        Map<ValueId, String> modules = new LinkedHashMap<>();
        for (GraphInput input : graph.inputs()) {
            if (input.kind().isPersistent() && exported.contains(name(input.value()))) {
                modules.put(input.value(), scope(name(input.value())));
            }
        }
        return modules;
    }

    private static String scope(String tensor) {
        int end = tensor.lastIndexOf('.');
        return end < 0 ? "" : tensor.substring(0, end);
    }

    private ProtoMessage model(ProtoMessage onnx, String producer) {
        ProtoMessage operators = new ProtoMessage().text(1, DOMAIN).number(2, opset.version());
        return new ProtoMessage()
                .number(1, opset.irVersion())
                .text(2, "remat")
                .text(3, producer)
                .message(7, onnx)
                .message(8, operators);
    }
}
