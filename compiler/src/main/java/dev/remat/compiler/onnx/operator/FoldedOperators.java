package dev.remat.compiler.onnx.operator;

import static dev.remat.compiler.onnx.rule.Operator.folded;

import dev.remat.compiler.onnx.read.OnnxTensor;
import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.signal.MelWeights;
import dev.remat.compiler.onnx.statement.Constant;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.RefusedException;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;

/** Operators whose results are known while a file is read. */
final class FoldedOperators {
    private FoldedOperators() {}

    static List<Operator> table() {
        return List.of(
                folded("Constant", FoldedOperators::constant),
                folded("ConstantOfShape", FoldedOperators::filled),
                folded("Range", RangeOperator::write),
                folded("Shape", FoldedOperators::shape),
                folded(
                        "Size",
                        use -> Tensor.of(
                                Constant.scalar(Expressions.product(use.in(0).dims())))),
                folded("HannWindow", use -> window(use, x -> 0.5 - 0.5 * Math.cos(x))),
                folded("HammingWindow", use -> window(use, x -> 25.0 / 46 - 21.0 / 46 * Math.cos(x))),
                folded("BlackmanWindow", use -> window(use, x -> 0.42 - 0.5 * Math.cos(x) + 0.08 * Math.cos(2 * x))),
                folded(
                        "MelWeightMatrix",
                        use -> MelWeights.run(use, ElementwiseOperators.dtype(use, "output_datatype"))));
    }

    private static Tensor constant(Use use) {
        Optional<OnnxTensor> tensor = use.tensor("value");
        if (tensor.isPresent()) {
            return ofTensor(
                    use, tensor.get().named("constant " + use.node().outputs().getFirst()));
        }
        if (use.has("value_float")) {
            return Tensor.of(Constant.reals(DType.F32, List.of(), List.of((double) use.real("value_float", 0))));
        }
        if (use.has("value_floats")) {
            List<Double> reals =
                    use.reals("value_floats").stream().map(Float::doubleValue).toList();
            return Tensor.of(Constant.reals(DType.F32, List.of((long) reals.size()), reals));
        }
        if (use.has("value_int")) {
            return Tensor.of(Constant.scalar(Dim.of(use.integer("value_int", 0))));
        }
        if (use.has("value_ints")) {
            return Tensor.of(Constant.vector(use.integers("value_ints").orElse(List.of()).stream()
                    .map(Dim::of)
                    .toList()));
        }
        throw use.detail("its value is of a type that no model here computes with");
    }

    /** A tensor of the file that is no weight: its numbers if they are few, else a buffer. */
    static Tensor ofTensor(Use use, OnnxTensor tensor) {
        Optional<Constant> numbers = use.out().body().numbers(tensor);
        if (numbers.isPresent()) {
            return Tensor.of(numbers.get());
        }
        DType dtype = tensor.type().dtype().orElseThrow(() -> use.detail("its value is of " + tensor.type()));
        Tensor large = new Tensor(
                new TensorType(
                        dtype, new Shape(tensor.shape().stream().map(Dim::of).toList())),
                Optional.empty(),
                Optional.empty(),
                Optional.of(tensor));
        return use.out().body().buffer(large);
    }

    private static Tensor filled(Use use) {
        List<Dim> dims = use.dims(0, "shape").orElseThrow();
        Constant value = use.tensor("value")
                .map(tensor -> use.out().body().numbers(tensor).orElseThrow())
                .orElse(Constant.reals(DType.F32, List.of(1L), List.of(0.0)));
        return full(use, dims, value);
    }

    /** One number everywhere: listed where it may be part of a shape, else an expression. */
    static Tensor full(Use use, List<Dim> dims, Constant value) {
        Dim count = Expressions.product(dims);
        if (dims.stream().allMatch(Dim::isConstant) && count.value() <= Fold.MOST_GROWN && dims.size() <= 1) {
            List<Long> shape = dims.stream().map(Dim::value).toList();
            List<Integer> places = new ArrayList<>();
            for (long i = 0; i < count.value(); i++) {
                places.add(0);
            }
            return Tensor.of(value.picked(shape, places));
        }
        return use.out().full(dims, value);
    }

    private static Tensor shape(Use use) {
        List<Dim> dims = use.in(0).dims();
        int rank = dims.size();
        int start = Math.clamp(fromFront(use.integer("start", 0), rank), 0, rank);
        int end = Math.clamp(fromFront(use.integer("end", rank), rank), 0, rank);
        return Tensor.of(Constant.vector(dims.subList(start, Math.max(start, end))));
    }

    private static long fromFront(long axis, int rank) {
        return axis < 0 ? axis + rank : axis;
    }

    private static Tensor window(Use use, DoubleUnaryOperator function) {
        long size = use.number(use.known(0).integers().getFirst(), "size");
        if (size < 1 || size > Constant.MOST) {
            throw new RefusedException("its size is " + size);
        }
        double period = use.flag("periodic", true) ? size : size - 1;
        List<Double> values = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            values.add(function.applyAsDouble(2 * Math.PI * i / period));
        }
        DType dtype = ElementwiseOperators.dtype(use, "output_datatype");
        return Tensor.of(Constant.reals(DType.F64, List.of(size), values).cast(dtype.isFloat() ? dtype : DType.F32));
    }
}
