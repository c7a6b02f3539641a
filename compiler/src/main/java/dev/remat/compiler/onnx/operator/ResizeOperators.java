package dev.remat.compiler.onnx.operator;

import static dev.remat.compiler.onnx.rule.Operator.composed;

import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Constant;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.RefusedException;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Resize, and Upsample, which it was called before. */
final class ResizeOperators {
    /** From this version on, Resize has a region, sizes and ways to count. */
    private static final int WITH_SIZES = 11;

    /** Extent by which it is tried out whether a factor repeats pixels. */
    private static final int TRIED = 8;

    private ResizeOperators() {}

    static List<Operator> table() {
        return List.of(composed("Resize", ResizeOperators::resize), composed("Upsample", ResizeOperators::resize));
    }

    private static Tensor resize(Use use) {
        Tensor x = use.in(0);
        boolean isOld = use.opset() < WITH_SIZES || use.node().operator().equals("Upsample");
        List<Integer> axes = use.integers("axes")
                .map(said -> said.stream().map(axis -> use.axis(axis, x.rank())).toList())
                .orElseGet(() -> IntStream.range(0, x.rank()).boxed().toList());
        Optional<Constant> scales = isOld && use.has("scales")
                ? Optional.of(Constant.reals(
                        DType.F32,
                        List.of((long) use.reals("scales").size()),
                        use.reals("scales").stream().map(Float::doubleValue).toList()))
                : use.knownIf(isOld ? 1 : 2).filter(constant -> constant.size() > 0);
        Optional<List<Dim>> sizes =
                isOld ? Optional.empty() : use.dims(3, "sizes").filter(list -> !list.isEmpty());
        List<Double> region = use.opset() >= WITH_SIZES && !isOld
                ? use.knownIf(1).map(Constant::asReals).orElse(List.of())
                : List.of();
        String policy = use.text("keep_aspect_ratio_policy", "stretch");
        if (!policy.equals("stretch")) {
            throw use.detail("it keeps the ratio of its extents ('" + policy + "')");
        }
        if (use.flag("antialias", false)) {
            throw use.detail("it filters what it makes smaller (antialias = 1)");
        }
        Tensor result = x;
        for (int i = 0; i < axes.size(); i++) {
            int axis = axes.get(i);
            double scale;
            Dim size;
            if (scales.isPresent()) {
                scale = scales.get().real(i);
                size = scaled(use, x, axis, scale);
            } else {
                size = sizes.orElseThrow(() -> use.detail("it has neither scales nor sizes"))
                        .get(i);
                scale = ratio(x.dim(axis), size);
            }
            double[] bounds =
                    region.isEmpty() ? new double[] {0, 1} : new double[] {region.get(i), region.get(i + axes.size())};
            boolean crops = use.text("coordinate_transformation_mode", "").equals("tf_crop_and_resize");
            if (scale != 1 || crops && (bounds[0] != 0 || bounds[1] != 1) || !size.equals(x.dim(axis))) {
                result = along(use, result, axis, size, new ResizeAxis(use, isOld, scale, bounds));
            }
        }
        return result;
    }

    private static Dim scaled(Use use, Tensor x, int axis, double scale) {
        Dim size = x.dim(axis);
        if (scale == Math.rint(scale)) {
            return size.times((long) scale);
        }
        return Dim.of((long) Math.floor(use.extent(x, axis) * scale));
    }

    /** How many times larger it becomes. */
    private static double ratio(Dim from, Dim to) {
        Optional<Dim> whole = to.divideExact(from).filter(Dim::isConstant);
        if (whole.isPresent()) {
            return whole.get().value();
        }
        if (!from.isConstant() || !to.isConstant()) {
            throw new RefusedException(
                    RefusedException.Kind.CONSTANT,
                    "it makes " + to + " of the extent " + from + ", which has to be a number or a multiple",
                    "--set " + from + "=… fixes it");
        }
        return (double) to.value() / from.value();
    }

    private static Tensor along(Use use, Tensor x, int axis, Dim size, ResizeAxis how) {
        Expressions out = use.out();
        int factor = (int) how.scale();
        boolean repeats = how.isNearest()
                && factor == how.scale()
                && factor >= 1
                && how.places(TRIED, TRIED * factor)
                        .equals(IntStream.range(0, TRIED * factor)
                                .map(i -> i / factor)
                                .boxed()
                                .toList());
        Shape shape = x.type().shape().with(axis, size);
        if (repeats) {
            return out.call("repeat_interleave", x.type().with(shape), x, factor, axis);
        }
        int from = (int) use.extent(x, axis);
        int to = (int) use.number(size, "sizes");
        if (how.isNearest() && !how.extrapolates(from, to)) {
            return PartOperators.select(use, x, how.places(from, to), axis);
        }
        List<Double> matrix = new ArrayList<>();
        double[][] weights = how.weights(from, to);
        for (int i = 0; i < from; i++) {
            for (int j = 0; j < to; j++) {
                matrix.add(weights[j][i]);
            }
        }
        Tensor constant = Tensor.of(Constant.reals(DType.F64, List.of((long) from, (long) to), matrix)
                .cast(x.dtype()));
        Tensor named = Tensor.of(constant.type(), out.body().spell(constant));
        Tensor moved = x.rank() == 1 ? out.unsqueeze(x, 0) : out.move(x, axis, -1);
        Tensor product = out.matmul(moved, named);
        Tensor result = x.rank() == 1 ? out.squeeze(product, 0) : out.move(product, -1, axis);
        return how.extrapolates(from, to) ? filled(use, result, axis, how, from, to) : result;
    }

    /** Puts the value of what lies outside of the operand. */
    private static Tensor filled(Use use, Tensor x, int axis, ResizeAxis how, int from, int to) {
        Expressions out = use.out();
        List<Double> inside = IntStream.range(0, to)
                .mapToObj(i -> how.isInside(i, from, to) ? 1.0 : 0.0)
                .toList();
        List<Long> shape = new ArrayList<>();
        IntStream.range(axis, x.rank()).forEach(i -> shape.add(i == axis ? (long) to : 1L));
        Tensor mask = Tensor.of(Constant.reals(x.dtype(), shape, inside));
        return out.where(
                out.infix(">", Tensor.of(mask.type(), out.body().spell(mask)), out.number(x.dtype(), 0)),
                x,
                out.number(x.dtype(), use.real("extrapolation_value", 0)));
    }
}
