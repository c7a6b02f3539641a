package dev.remat.compiler.onnx;

import dev.remat.compiler.onnx.HeldTensors.Held;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.op.Broadcast;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.Reshape;
import dev.remat.ir.op.Slice;
import dev.remat.ir.op.StopGradient;
import dev.remat.ir.op.Transpose;
import dev.remat.ir.op.View;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What moves elements, leaves some out or adds some around. */
final class WriteViews {
    private WriteViews() {}

    static void run(Translated node, View view) {
        Held x = node.held(0);
        boolean number = x.shape().rank() == 0;
        switch (view) {
            case StopGradient _, Broadcast _ -> node.result(x.name(), x.shape());
            case Reshape(Shape shape) -> {
                if (number || x.shape().equals(node.type(0).shape()) && endsIn(shape, x.shape())) {
                    node.result(x.name(), x.shape());
                } else {
                    node.result(node.apply("Reshape", node.operand(0), target(node, shape)));
                }
            }
            case Transpose(List<Integer> permutation) -> {
                if (number) {
                    node.result(x.name(), x.shape());
                } else {
                    node.result(node.transpose(node.operand(0), permutation));
                }
            }
            case Slice slice -> {
                if (number) {
                    node.result(x.name(), x.shape());
                } else {
                    node.result(slice(node, slice));
                }
            }
        }
    }

    /** Whether a shape is another one behind extents of 1, as which it may be read by whoever repeats it. */
    private static boolean endsIn(Shape shape, Shape end) {
        int more = shape.rank() - end.rank();
        return more >= 0
                && shape.dims().subList(0, more).stream().allMatch(dim -> dim.is(1))
                && shape.dims().subList(more, shape.rank()).equals(end.dims());
    }

    /** What Reshape takes: 0 for an extent that stays, −1 for one that follows from the others. */
    private static String target(Translated node, Shape shape) {
        Shape before = node.type(0).shape();
        List<Long> target = new ArrayList<>();
        int following = 0;
        for (int axis = 0; axis < shape.rank(); axis++) {
            Dim dim = shape.dim(axis);
            boolean stays = axis < before.rank() && before.dim(axis).equals(dim);
            following += dim.isConstant() || stays ? 0 : 1;
            target.add(dim.isConstant() ? dim.value() : stays ? 0 : -1L);
        }
        return following <= 1 ? node.out().row(target) : node.extents().row(shape.dims());
    }

    private static String slice(Translated node, Slice slice) {
        List<Long> axes = new ArrayList<>();
        List<Dim> starts = new ArrayList<>();
        List<Dim> ends = new ArrayList<>();
        for (int axis = 0; axis < slice.starts().size(); axis++) {
            Dim start = slice.starts().get(axis);
            Dim size = slice.sizes().get(axis);
            if (!start.is(0) || !size.equals(node.type(0).dim(axis))) {
                axes.add((long) axis);
                starts.add(start);
                ends.add(start.plus(size));
            }
        }
        return axes.isEmpty()
                ? node.operand(0)
                : node.apply(
                        "Slice",
                        node.operand(0),
                        node.extents().row(starts),
                        node.extents().row(ends),
                        node.out().row(axes));
    }

    static void pad(Translated node, Pad pad) {
        List<Dim> around =
                Stream.concat(pad.low().stream(), pad.high().stream()).toList();
        node.result(node.apply("Pad", node.operand(0), node.extents().row(around), node.number(0, pad.value())));
    }

    static void concat(Translated node, int axis) {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < node.node().operands().size(); i++) {
            parts.add(node.operand(i));
        }
        node.result(node.apply("Concat", parts, Attribute.of("axis", axis)));
    }
}
