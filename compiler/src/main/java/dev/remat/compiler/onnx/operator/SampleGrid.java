package dev.remat.compiler.onnx.operator;

import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import java.util.ArrayList;
import java.util.List;

/** GridSample over images [N, C, H, W] at places [N, h, w, 2]: a weighted sum of the pixels around each. */
final class SampleGrid {
    private static final double CUBIC = -0.75;

    private final Use use;
    private final Expressions out;
    private final Tensor image;
    private final DType dtype;
    private final boolean corners;
    private final String padding;

    SampleGrid(Use use) {
        this.use = use;
        this.out = use.out();
        this.image = use.in(0);
        this.dtype = image.dtype();
        this.corners = use.flag("align_corners", false);
        this.padding = use.text("padding_mode", "zeros");
        if (image.rank() != 4) {
            throw use.detail("its images have " + image.rank() + " axes, and 4 are known");
        }
    }

    Tensor run() {
        Tensor grid = use.in(1);
        Tensor flat = out.let(out.reshape(
                image, List.of(image.dim(0), image.dim(1), image.dim(2).times(image.dim(3)))));
        Tensor x = coordinate(grid, 0, image.dim(3));
        Tensor y = coordinate(grid, 1, image.dim(2));
        Dim count = grid.dim(1).times(grid.dim(2));
        List<Tap> across = taps(x, image.dim(3));
        List<Tap> down = taps(y, image.dim(2));
        Tensor sum = null;
        for (Tap row : down) {
            for (Tap column : across) {
                Tensor pixel = out.reshape(pixel(flat, row, column, count), shape(grid));
                Tensor weight = out.unsqueeze(out.infix("*", row.weight(), column.weight()), 1);
                Tensor part = out.infix("*", pixel, weight);
                sum = sum == null ? part : out.let(out.infix("+", sum, part));
            }
        }
        return sum;
    }

    /**
     * A pixel beside a place along one axis.
     *
     * @param index of the pixel, inside
     * @param weight of it, 0 where there is none
     */
    private record Tap(Tensor index, Tensor weight) {}

    private List<Dim> shape(Tensor grid) {
        return List.of(image.dim(0), image.dim(1), grid.dim(1), grid.dim(2));
    }

    private Tensor number(double value) {
        return out.number(dtype, value);
    }

    /** A place in pixels, [N, h, w]. */
    private Tensor coordinate(Tensor grid, int which, Dim size) {
        Tensor at = out.squeeze(out.slice(grid, 3, Dim.of(which), Dim.of(which + 1L), 1), 3);
        double extent = use.number(size, "extents");
        Tensor scaled = corners
                ? out.infix("*", out.infix("+", at, number(1)), number((extent - 1) / 2))
                : out.infix("-", out.infix("*", out.infix("+", at, number(1)), number(extent / 2)), number(0.5));
        boolean isCubic = use.text("mode", "linear").endsWith("cubic");
        return out.let(isCubic ? scaled : bounded(scaled, extent));
    }

    private Tensor bounded(Tensor at, double extent) {
        return switch (padding) {
            case "zeros" -> at;
            case "border" -> out.unary("clamp", at, 0.0, extent - 1);
            case "reflection" -> reflected(at, extent);
            default -> throw use.detail("its padding_mode is '" + padding + "'");
        };
    }

    /** Mirrors a place at the borders until it is inside. */
    private Tensor reflected(Tensor at, double extent) {
        double low = corners ? 0 : -0.5;
        double span = corners ? extent - 1 : extent;
        if (span == 0) {
            return out.infix("*", at, number(0));
        }
        Tensor period = out.infix("%", out.infix("-", at, number(low)), number(2 * span));
        Tensor mirrored = out.binary("min", out.let(period), out.infix("-", number(2 * span), out.let(period)));
        return out.unary("clamp", out.infix("+", mirrored, number(low)), 0.0, extent - 1);
    }

    private List<Tap> taps(Tensor at, Dim size) {
        String mode = use.text("mode", "linear");
        double extent = use.number(size, "extents");
        List<Tap> taps = new ArrayList<>();
        if (mode.equals("nearest")) {
            taps.add(tap(out.let(out.unary("round", at)), number(1), extent));
            return taps;
        }
        Tensor floor = out.let(out.unary("floor", at));
        Tensor rest = out.let(out.infix("-", at, floor));
        if (mode.endsWith("cubic")) {
            for (int i = -1; i <= 2; i++) {
                Tensor place = out.let(bounded(out.let(out.infix("+", floor, number(i))), extent));
                taps.add(tap(out.let(out.unary("round", place)), cubic(rest, i), extent));
            }
            return taps;
        }
        taps.add(tap(floor, out.infix("-", number(1), rest), extent));
        taps.add(tap(out.let(out.infix("+", floor, number(1))), rest, extent));
        return taps;
    }

    /** The kernel of Keys (1981) at a distance from a pixel. */
    private Tensor cubic(Tensor rest, int tap) {
        Tensor distance = out.let(tap <= 0 ? out.infix("+", rest, number(-tap)) : out.infix("-", number(tap), rest));
        if (tap == 0 || tap == 1) {
            Tensor line = out.infix("-", out.infix("*", distance, number(CUBIC + 2)), number(CUBIC + 3));
            return out.infix("+", out.infix("*", out.infix("*", line, distance), distance), number(1));
        }
        Tensor line = out.infix("-", out.infix("*", distance, number(CUBIC)), number(5 * CUBIC));
        Tensor curve = out.infix("+", out.infix("*", line, distance), number(8 * CUBIC));
        return out.infix("-", out.infix("*", curve, distance), number(4 * CUBIC));
    }

    private Tap tap(Tensor place, Tensor weight, double extent) {
        Tensor inside = out.let(out.unary("clamp", place, 0.0, extent - 1));
        Tensor counted = padding.equals("zeros")
                ? out.where(
                        out.infix("==", inside, place),
                        weight.isConstant() ? out.call("ones_like", place.type(), place) : weight,
                        number(0))
                : weight.isConstant() ? out.call("ones_like", place.type(), place) : weight;
        return new Tap(out.let(out.cast(inside, DType.I64)), out.let(counted));
    }

    private Tensor pixel(Tensor flat, Tap row, Tap column, Dim count) {
        Tensor index =
                out.infix("+", out.infix("*", row.index(), out.integer(DType.I64, image.dim(3))), column.index());
        Tensor each = out.reshape(index, List.of(image.dim(0), Dim.ONE, count));
        Shape shape = new Shape(List.of(image.dim(0), image.dim(1), count));
        return out.call("gather", flat.type().with(shape), flat, out.broadcast(each, shape), 2);
    }
}
