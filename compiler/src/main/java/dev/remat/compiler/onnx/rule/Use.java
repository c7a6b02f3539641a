package dev.remat.compiler.onnx.rule;

import dev.remat.compiler.onnx.read.OnnxAttribute;
import dev.remat.compiler.onnx.read.OnnxGraphBody;
import dev.remat.compiler.onnx.read.OnnxNode;
import dev.remat.compiler.onnx.read.OnnxTensor;
import dev.remat.compiler.onnx.statement.Constant;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.RefusedException;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.Dim;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * A node that is being written: its operands, and its attributes with the defaults of the operator's version.
 *
 * @param opset version of ONNX's operators in the file
 * @param operands in order, empty where one is left out
 * @param inline writes a graph of an attribute, which sees the values around it, and gives its outputs
 */
public record Use(OnnxNode node, long opset, List<Optional<Tensor>> operands, Expressions out, Inline inline) {
    /** Writes the nodes of a graph in an attribute. */
    @FunctionalInterface
    public interface Inline {
        /** @param inputs of the graph, in order */
        List<Tensor> write(OnnxGraphBody graph, List<Tensor> inputs);
    }

    /** An operand that must be there. */
    public Tensor in(int index) {
        return find(index).orElseThrow(() -> detail("it lacks operand " + (index + 1)));
    }

    public Optional<Tensor> find(int index) {
        return index < operands.size() ? operands.get(index) : Optional.empty();
    }

    /** Operands that are there. */
    public List<Tensor> all() {
        return operands.stream().flatMap(Optional::stream).toList();
    }

    /** Whether something reads an output. */
    public boolean wants(int output) {
        return output < node.outputs().size() && !node.outputs().get(output).isEmpty();
    }

    private <T> Optional<T> single(String name, Function<OnnxAttribute, List<T>> values) {
        OnnxAttribute attribute = node.attributes().get(name);
        if (attribute == null) {
            return Optional.empty();
        }
        if (values.apply(attribute).size() != 1) {
            throw detail("its attribute '" + name + "' is of another type than the operator's");
        }
        return Optional.of(values.apply(attribute).getFirst());
    }

    public boolean has(String name) {
        return node.attributes().containsKey(name);
    }

    public long integer(String name, long otherwise) {
        return single(name, OnnxAttribute::integers).orElse(otherwise);
    }

    public boolean flag(String name, boolean otherwise) {
        return integer(name, otherwise ? 1 : 0) != 0;
    }

    /** As a float, which attributes are. */
    public float real(String name, double otherwise) {
        return single(name, OnnxAttribute::reals).orElse((float) otherwise);
    }

    public String text(String name, String otherwise) {
        return single(name, OnnxAttribute::texts).orElse(otherwise);
    }

    public Optional<OnnxTensor> tensor(String name) {
        return single(name, OnnxAttribute::tensors);
    }

    public OnnxGraphBody graph(String name) {
        return single(name, OnnxAttribute::graphs).orElseThrow(() -> detail("it lacks the graph '" + name + "'"));
    }

    public Optional<List<Long>> integers(String name) {
        return Optional.ofNullable(node.attributes().get(name)).map(OnnxAttribute::integers);
    }

    public List<Float> reals(String name) {
        return Optional.ofNullable(node.attributes().get(name))
                .map(OnnxAttribute::reals)
                .orElse(List.of());
    }

    public List<String> texts(String name) {
        return Optional.ofNullable(node.attributes().get(name))
                .map(OnnxAttribute::texts)
                .orElse(List.of());
    }

    /** Numbers of an operand that has to be known. */
    public Constant known(int index) {
        return in(index)
                .constant()
                .orElseThrow(() -> new RefusedException(
                        RefusedException.Kind.CONSTANT,
                        "operand " + (index + 1) + ", '" + node.inputs().get(index) + "', has to be a constant",
                        "--set gives inputs and open extents the numbers that it follows from; --inputs and --outputs"
                                + " cut the graph"));
    }

    /** The same, if the operand is there. */
    public Optional<Constant> knownIf(int index) {
        return find(index).isPresent() ? Optional.of(known(index)) : Optional.empty();
    }

    /** Integers that may be in terms of symbols, from an operand, or in older versions an attribute. */
    public Optional<List<Dim>> dims(int index, String attribute) {
        Optional<List<Long>> old = integers(attribute);
        return old.isPresent()
                ? Optional.of(old.get().stream().map(Dim::of).toList())
                : knownIf(index).map(Constant::integers);
    }

    /** The same as numbers. */
    public Optional<List<Long>> numbers(int index, String attribute) {
        return dims(index, attribute)
                .map(all -> all.stream().map(dim -> number(dim, attribute)).toList());
    }

    public long number(Dim dim, String what) {
        if (!dim.isConstant()) {
            throw detail("its " + what + " depend on the extent " + dim);
        }
        return dim.value();
    }

    /** An axis of a tensor of the given rank, counted from the front. */
    public int axis(long axis, int rank) {
        long counted = axis < 0 ? axis + rank : axis;
        if (counted < 0 || counted >= Math.max(rank, 1)) {
            throw detail("its axis is " + axis + ", of " + rank);
        }
        return (int) counted;
    }

    public int axis(String name, long otherwise, int rank) {
        return axis(integer(name, otherwise), rank);
    }

    /** Axes by an operand or an attribute, in order; all without them. */
    public List<Integer> axes(int index, int rank) {
        return numbers(index, "axes")
                .filter(axes -> !axes.isEmpty())
                .map(axes -> axes.stream().map(axis -> axis(axis, rank)).toList())
                .orElseGet(() -> IntStream.range(0, rank).boxed().toList());
    }

    /** An extent that has to be a number. */
    public long extent(Tensor x, int axis) {
        Dim dim = x.dim(axis);
        if (!dim.isConstant()) {
            throw new RefusedException(
                    RefusedException.Kind.CONSTANT,
                    "the extent " + dim + " of its operand has to be a number",
                    "--set " + dim + "=… fixes it");
        }
        return dim.value();
    }

    public RefusedException detail(String reason) {
        return new RefusedException(reason);
    }
}
