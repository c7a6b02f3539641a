package dev.remat.compiler.builtin.layer;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.Numbers;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.IndexMap;
import dev.remat.ir.op.Iota;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Table;
import java.util.ArrayList;
import java.util.List;

/**
 * Images of another size. Repeating pixels a whole number of times is a view; all else goes axis by axis, each as a
 * product with a matrix [out, in] of interpolation weights, so that only the image is kept for the backward pass.
 */
final class Resampling {
    private static final List<Integer> EXCHANGED = List.of(0, 1, 3, 2);
    /** Sharpness of the cubic kernel (Keys, 1981), as in PyTorch. */
    private static final double A = -0.75;

    private Resampling() {}

    static final Builtin UPSAMPLE = Builtin.function(
            "upsample",
            "x: tensor, scale_factor: pair = none, mode: string = \"nearest\", size: pair = none, "
                    + "align_corners: bool = false",
            "H and W of [N, C, H, W] times `scale_factor`, which is 2 unless given, or as `size` says; `mode` is "
                    + "\"nearest\", which repeats pixels, \"bilinear\" or \"bicubic\".",
            Resampling::upsample);

    /** Where one output reads: {@code weights.get(i)} of the input at {@code indices.get(i)}. */
    private record Taps(List<Long> indices, List<Double> weights) {}

    /** How outputs are made of inputs. */
    private enum Mode {
        NEAREST,
        BILINEAR,
        BICUBIC;

        static Mode of(Arguments args) {
            return switch (args.text("mode")) {
                case "nearest" -> NEAREST;
                case "bilinear" -> BILINEAR;
                case "bicubic" -> BICUBIC;
                default ->
                    throw new SemanticError(
                            "E0306",
                            "upsample knows the modes \"nearest\", \"bilinear\" and \"bicubic\", not \""
                                    + args.text("mode") + "\"");
            };
        }

        /** What output {@code at} of {@code outputs} reads of {@code inputs}. */
        Taps taps(long at, long outputs, long inputs, boolean alignsCorners) {
            if (this == NEAREST) {
                return new Taps(List.of(at * inputs / outputs), List.of(1.0));
            }
            double place = alignsCorners
                    ? outputs == 1 ? 0 : (double) at * (inputs - 1) / (outputs - 1)
                    : (at + 0.5) * inputs / outputs - 0.5;
            if (this == BILINEAR) {
                place = Math.max(place, 0);
            }
            long first = (long) Math.floor(place);
            double rest = place - first;
            List<Double> weights = this == BILINEAR
                    ? List.of(1 - rest, rest)
                    : List.of(far(rest + 1), near(rest), near(1 - rest), far(2 - rest));
            List<Long> indices = new ArrayList<>();
            for (int i = 0; i < weights.size(); i++) {
                indices.add(Math.clamp(first + i - (this == BILINEAR ? 0 : 1), 0, inputs - 1));
            }
            return new Taps(indices, weights);
        }

        /** Of a distance up to 1. */
        private static double near(double distance) {
            return ((A + 2) * distance - (A + 3)) * distance * distance + 1;
        }

        /** Of a distance from 1 to 2. */
        private static double far(double distance) {
            return ((A * distance - 5 * A) * distance + 8 * A) * distance - 4 * A;
        }
    }

    private static Datum upsample(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = Tensors.ranked("upsample", out.type(x), 4);
        Mode mode = Mode.of(args);
        boolean alignsCorners = args.flag("align_corners");
        if (alignsCorners && mode == Mode.NEAREST) {
            throw new SemanticError("E0306", "'align_corners' is without effect on \"nearest\"");
        } else if (args.isGiven("size") && args.isGiven("scale_factor")) {
            throw new SemanticError("E0306", "upsample takes 'size' or 'scale_factor', not both");
        }
        if (!args.isGiven("size")) {
            int[] factor = args.isGiven("scale_factor") ? args.pair("scale_factor") : new int[] {2, 2};
            if (factor[0] < 1 || factor[1] < 1) {
                throw new SemanticError("E0306", "'scale_factor' must be positive");
            }
            if (mode == Mode.NEAREST) {
                return tensor(repeated(x, factor, out));
            }
            long height = Math.multiplyExact(Numbers.known(type.dim(2)), factor[0]);
            long width = Math.multiplyExact(Numbers.known(type.dim(3)), factor[1]);
            return tensor(resized(x, height, width, mode, alignsCorners, out));
        }
        int[] size = args.pair("size");
        return tensor(resized(x, size[0], size[1], mode, alignsCorners, out));
    }

    private static ValueId repeated(ValueId x, int[] factor, Emission out) {
        TensorType type = out.type(x);
        Dim n = type.dim(0);
        Dim c = type.dim(1);
        Dim h = type.dim(2);
        Dim w = type.dim(3);
        Dim down = Dim.of(factor[0]);
        Dim across = Dim.of(factor[1]);
        ValueId apart = out.reshape(x, new Shape(List.of(n, c, h, Dim.ONE, w, Dim.ONE)));
        ValueId all = out.expand(apart, new Shape(List.of(n, c, h, down, w, across)));
        return out.reshape(all, new Shape(List.of(n, c, h.times(down), w.times(across))));
    }

    private static ValueId resized(ValueId x, long height, long width, Mode mode, boolean alignsCorners, Emission out) {
        for (long size : new long[] {height, width}) {
            if (size < 1 || size > Table.MOST_VALUES) {
                throw new SemanticError(
                        "E0306", "an image of " + size + " pixels a side; from 1 to " + Table.MOST_VALUES);
            }
        }
        ValueId upright = out.transpose(x, EXCHANGED);
        ValueId rows = out.transpose(along(upright, height, mode, alignsCorners, out), EXCHANGED);
        return along(rows, width, mode, alignsCorners, out);
    }

    /** Over the last axis. */
    private static ValueId along(ValueId x, long outputs, Mode mode, boolean alignsCorners, Emission out) {
        TensorType type = out.type(x);
        long inputs = Numbers.known(type.dim(3));
        if (inputs == outputs) {
            return x;
        }
        List<Taps> taps = new ArrayList<>();
        for (long at = 0; at < outputs; at++) {
            taps.add(mode.taps(at, outputs, inputs, alignsCorners));
        }
        Shape shape = Shape.of(outputs, inputs);
        TensorType row = new TensorType(DType.I32, Shape.of(inputs));
        ValueId columns = out.expand(out.apply(new Iota(0, 1, IndexMap.ROW, row)), shape);
        ValueId matrix = out.filled(0, type.with(shape));
        for (int i = 0; i < taps.getFirst().weights().size(); i++) {
            int tap = i;
            List<Double> indices =
                    taps.stream().map(each -> (double) each.indices().get(tap)).toList();
            List<Double> weights =
                    taps.stream().map(each -> each.weights().get(tap)).toList();
            ValueId reads = out.compare(Compare.Kind.EQ, columns, column(indices, DType.I32, shape, out));
            ValueId weight = column(weights, type.dtype(), shape, out);
            matrix = out.add(matrix, out.select(reads, weight, out.filled(0, type.with(shape))));
        }
        return out.apply(new MatMul(false, true), x, matrix);
    }

    private static ValueId column(List<Double> values, DType dtype, Shape shape, Emission out) {
        TensorType type = new TensorType(dtype, Shape.of(values.size()));
        ValueId table = out.apply(new Table(values, IndexMap.ROW, type));
        return out.expand(out.reshape(table, Shape.of(values.size(), 1)), shape);
    }
}
