package dev.remat.compiler.onnx.operator;

import dev.remat.compiler.onnx.graph.InlineBranches;
import dev.remat.compiler.onnx.graph.LiftConstants;
import dev.remat.compiler.onnx.read.OnnxGraphBody;
import dev.remat.compiler.onnx.read.OnnxNode;
import dev.remat.compiler.onnx.read.OnnxTensor;
import dev.remat.compiler.onnx.rule.OpenComparison;
import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Rule;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Body;
import dev.remat.compiler.onnx.statement.Constant;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.RefusedException;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Function;

/** Writes nodes as statements, each by the rule of its operator. What cannot be written is noted, the rest goes on. */
public final class WriteNodes {
    /** A graph in a node has results that depend on a node in it that was refused. */
    private static final class DependsOnRefused extends RuntimeException {
        private DependsOnRefused() {
            super(null, null, false, false);
        }
    }

    /** A node that could not be written. */
    public record Refusal(OnnxNode node, RefusedException reason) {}

    /** Nodes in branches and in all rounds of loops. */
    private static final int MOST_INLINED = 1 << 15;

    private final long opset;
    private final Expressions out;
    private final Function<OnnxNode, String> path;
    private final SequencedMap<String, Optional<Tensor>> values = new LinkedHashMap<>();
    private final List<Refusal> refusals = new ArrayList<>();
    private final List<OnnxGraphBody> taken = new ArrayList<>();
    private final SequencedMap<String, OpenComparison> open = new LinkedHashMap<>();
    private int inlined;
    private final boolean constantsAreWeights;
    private final Function<String, Optional<Operator>> further;

    /**
     * @param path of the module that a node belongs to, with dots
     * @param constantsAreWeights whether floating point constants are what initializers are elsewhere
     * @param further rows for operators that ONNX does not have
     */
    public WriteNodes(
            long opset,
            Expressions out,
            Function<OnnxNode, String> path,
            boolean constantsAreWeights,
            Function<String, Optional<Operator>> further) {
        this.opset = opset;
        this.out = out;
        this.path = path;
        this.constantsAreWeights = constantsAreWeights;
        this.further = further;
    }

    /** Makes a value known under its name in the file. */
    public void put(String name, Tensor value) {
        values.put(name, Optional.of(value));
    }

    /** A weight of the file, which becomes a parameter where it is read. */
    public void put(OnnxTensor tensor) {
        try {
            values.put(tensor.name(), Optional.of(weight(tensor)));
        } catch (RefusedException e) {
            values.put(tensor.name(), Optional.empty());
            refusals.add(new Refusal(
                    new OnnxNode(
                            tensor.name(),
                            "",
                            "initializer",
                            List.of(),
                            List.of(),
                            new LinkedHashMap<>(),
                            new LinkedHashMap<>()),
                    e));
        }
    }

    private Tensor weight(OnnxTensor tensor) {
        DType dtype = Body.dtype(tensor)
                .orElseThrow(() -> new RefusedException(
                        "its elements are of " + tensor.type() + ", which no model here computes with"));
        Optional<Constant> numbers = out.body().numbers(tensor);
        boolean isSmall = tensor.elements() == 1 && !isModuleName(tensor.name());
        boolean isStored = dtype.isFloat() && !isSmall && !Body.isMade(tensor.name()) || numbers.isEmpty();
        return new Tensor(
                new TensorType(
                        dtype, new Shape(tensor.shape().stream().map(Dim::of).toList())),
                Optional.empty(),
                numbers,
                isStored ? Optional.of(tensor) : Optional.empty());
    }

    /** Whether a name is one of a parameter of a module, as PyTorch gives them. */
    private static boolean isModuleName(String name) {
        return name.matches("[A-Za-z_]\\w*(\\.\\w+)+");
    }

    /** What a name of the file stands for; empty if it depends on something that was refused. */
    public Optional<Tensor> value(String name) {
        return values.getOrDefault(name, Optional.empty());
    }

    /** Graphs of attributes that were written in the place of their nodes. */
    public List<OnnxGraphBody> taken() {
        return taken;
    }

    public List<Refusal> refusals() {
        return refusals;
    }

    /** Writes nodes in order. */
    public void write(List<OnnxNode> nodes) {
        nodes.forEach(this::write);
    }

    private void write(OnnxNode node) {
        int mark = out.body().mark();
        try {
            if (constantsAreWeights && LiftConstants.weight(node).isPresent()) {
                put(LiftConstants.weight(node).get());
                return;
            }
            Optional<Operator> operator = operator(node);
            List<Optional<Tensor>> operands = new ArrayList<>();
            for (String input : node.inputs()) {
                if (!input.isEmpty() && value(input).isEmpty()) {
                    return;
                }
                operands.add(input.isEmpty() ? Optional.empty() : value(input));
            }
            out.body().enter(path.apply(node), wish(node));
            bind(node, results(node, operator, operands));
        } catch (RefusedException e) {
            out.body().undo(mark);
            refusals.add(new Refusal(node, explained(node, e)));
        } catch (DependsOnRefused e) {
            out.body().undo(mark);
        }
    }

    /** What a branch depends on, where that is known better. */
    private RefusedException explained(OnnxNode node, RefusedException refusal) {
        OpenComparison comparison = InlineBranches.decides(node)
                ? open.get(node.inputs().stream().findFirst().orElse(""))
                : null;
        return comparison == null ? refusal : comparison.refusal();
    }

    private Optional<Operator> operator(OnnxNode node) {
        String name = node.domain().isEmpty() ? node.operator() : node.domain() + "::" + node.operator();
        Optional<Operator> operator = Operators.find(name).or(() -> further.apply(name));
        if (operator.isEmpty() || operator.get().rule().isEmpty()) {
            List<String> inputs = node.inputs().stream()
                    .distinct()
                    .filter(input -> !input.isEmpty() && !isGiven(input))
                    .toList();
            throw new RefusedException(
                    RefusedException.Kind.OPERATOR,
                    operator.map(Operator::says)
                            .orElse("no operator "
                                    + (node.domain().isEmpty() ? "" : "of the domain '" + node.domain() + "' ")
                                    + "is known by this name"),
                    inputs.isEmpty() ? "" : "cut the model before it: --outputs " + String.join(",", inputs));
        }
        return operator;
    }

    /** Whether a value is known, or a weight of the file, before which nothing can be cut. */
    private boolean isGiven(String name) {
        return value(name)
                .filter(tensor -> tensor.isConstant() || tensor.isWeight())
                .isPresent();
    }

    private List<Tensor> results(OnnxNode node, Optional<Operator> operator, List<Optional<Tensor>> operands) {
        Use use = new Use(node, opset, operands, out, this::inlined);
        OpenComparison.of(use).ifPresent(comparison -> open.put(node.outputs().getFirst(), comparison));
        try {
            Rule rule = operator.orElseThrow().rule().orElseThrow();
            return Fold.run(use)
                    .map(known -> List.of(Fold.byFormula(use, known, rule)))
                    .orElseGet(() -> Fold.remembering(use, rule.write(use)));
        } catch (ArithmeticException e) {
            throw new RefusedException("its numbers are too large: " + e.getMessage());
        } catch (IndexOutOfBoundsException | NoSuchElementException e) {
            throw new RefusedException(
                    "it has fewer operands, these fewer axes, or its attributes fewer numbers, than it" + " needs");
        }
    }

    private void bind(OnnxNode node, List<Tensor> results) {
        for (int i = 0; i < node.outputs().size(); i++) {
            String name = node.outputs().get(i);
            if (name.isEmpty()) {
                continue;
            }
            if (i >= results.size()) {
                throw new RefusedException("its result " + (i + 1) + " is read, which is not imported");
            }
            Tensor result = results.get(i);
            if (result.spelling().isPresent() && result.dims().stream().anyMatch(dim -> dim.is(0))) {
                throw new RefusedException("its result is empty, and no tensor here is");
            }
            values.put(
                    name, Optional.of(result.isConstant() && result.spelling().isEmpty() ? result : out.let(result)));
        }
    }

    /** Writes a graph of an attribute in the place of its node. */
    private List<Tensor> inlined(OnnxGraphBody graph, List<Tensor> inputs) {
        inlined += graph.nodes().size();
        if (inlined > MOST_INLINED) {
            throw new RefusedException("round by round it has more than " + MOST_INLINED + " nodes");
        }
        taken.add(graph);
        SequencedMap<String, Optional<Tensor>> around = new LinkedHashMap<>(values);
        for (int i = 0; i < inputs.size(); i++) {
            values.put(graph.inputs().get(i).name(), Optional.of(inputs.get(i)));
        }
        graph.initializers().forEach(this::put);
        write(graph.nodes());
        List<Tensor> results = new ArrayList<>();
        for (var output : graph.outputs()) {
            Optional<Tensor> value = value(output.name());
            if (value.isEmpty()) {
                throw new DependsOnRefused();
            }
            results.add(value.get());
        }
        values.clear();
        values.putAll(around);
        return results;
    }

    /** What the results of a node are called, unless names of the file are plain. */
    private static String wish(OnnxNode node) {
        String output = node.outputs().isEmpty() ? "" : node.outputs().getFirst();
        String kind = node.operator().replaceFirst("(?<=Linear|Positions)(By|Of).*", "");
        return output.matches("[A-Za-z]\\w{0,40}") ? output : kind.toLowerCase(Locale.ROOT);
    }
}
