package dev.remat.compiler.onnx.operator;

import static dev.remat.compiler.onnx.rule.Operator.composed;

import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;

/** Operators that sample images at places of a grid. */
final class SampleOperators {
    private SampleOperators() {}

    static List<Operator> table() {
        return List.of(
                composed("GridSample", use -> new SampleGrid(use).run()),
                composed("AffineGrid", SampleOperators::grid));
    }

    /** Places along an axis from −1 to 1, whose ends are corners or the middles of pixels. */
    private static Tensor places(Use use, long count, DType dtype) {
        boolean corners = use.flag("align_corners", false);
        double step = corners ? 2.0 / Math.max(count - 1, 1) : 2.0 / count;
        double first = corners && count > 1 ? -1 : corners ? 0 : -1 + step / 2;
        Expressions out = use.out();
        Tensor numbers = out.call(
                "arange",
                new TensorType(dtype, new Shape(List.of(Dim.of(count)))),
                count,
                Expressions.named("dtype", dtype));
        return out.infix("+", out.infix("*", numbers, out.number(dtype, step)), out.number(dtype, first));
    }

    private static Tensor grid(Use use) {
        Expressions out = use.out();
        Tensor theta = use.in(0);
        List<Long> size = use.numbers(1, "size").orElseThrow();
        int axes = size.size() - 2;
        List<Long> extents = size.subList(2, size.size());
        List<Tensor> coordinates = new ArrayList<>();
        List<Dim> whole = new ArrayList<>(extents.stream().map(Dim::of).toList());
        whole.add(Dim.ONE);
        for (int i = axes - 1; i >= 0; i--) {
            List<Dim> alone = new ArrayList<>();
            for (int axis = 0; axis <= axes; axis++) {
                alone.add(axis == i ? Dim.of(extents.get(i)) : Dim.ONE);
            }
            coordinates.add(
                    out.broadcast(out.reshape(places(use, extents.get(i), theta.dtype()), alone), new Shape(whole)));
        }
        coordinates.add(out.call(
                "ones",
                new TensorType(theta.dtype(), new Shape(whole)),
                whole,
                Expressions.named("dtype", theta.dtype())));
        Dim count = Expressions.product(whole);
        Tensor base = out.let(out.reshape(out.concat(coordinates, axes), List.of(count, Dim.of(axes + 1L))));
        Tensor moved = out.matmul(base, out.permute(theta, List.of(0, 2, 1)));
        List<Dim> dims = new ArrayList<>(List.of(theta.dim(0)));
        extents.forEach(extent -> dims.add(Dim.of(extent)));
        dims.add(Dim.of(axes));
        return out.reshape(moved, dims);
    }
}
