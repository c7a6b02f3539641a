package dev.remat.compiler.builtin.layer;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.ArrangementFunctions;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.Numbers;
import dev.remat.compiler.builtin.SelectionFunctions;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.IndexMap;
import dev.remat.ir.op.Iota;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.ScatterAdd;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Patches of images as columns, as PyTorch lays them out: a column for each place of the window, row by row. */
final class Patches {
    private static final int MOST = 1 << 20;
    private static final String WINDOW = "dilation: pair = 1, padding: pair = 0, stride: pair = 1";

    static final Builtin UNFOLD = Builtin.function(
            "unfold",
            "x: tensor, kernel_size: pair, " + WINDOW,
            "The patches that a window shows of [N, C, H, W], each as a column: [N, C·kh·kw, L].",
            Patches::unfold);

    static final Builtin FOLD = Builtin.function(
            "fold",
            "x: tensor, output_size: pair, kernel_size: pair, " + WINDOW,
            "Adds the columns of [N, C·kh·kw, L] where `unfold` takes them from: [N, C, H, W] of `output_size`.",
            Patches::fold);

    private Patches() {}

    private static Datum unfold(Arguments args, Emission out) {
        TensorType type = Tensors.ranked("unfold", out.type(args.tensor("x")), 4);
        Window window = Window.of(args, Numbers.known(type.dim(2)), Numbers.known(type.dim(3)));
        List<Dim> sides = window.sides();
        ValueId padded = window.isPadded() ? out.apply(new Pad(sides, sides, 0), args.tensor("x")) : args.tensor("x");
        Shape flat = new Shape(List.of(type.dim(0), type.dim(1), window.pixels()));
        ValueId taken = ArrangementFunctions.selected(out.reshape(padded, flat), window.places(out), 2, out);
        Dim rows = type.dim(1).times(window.taps());
        return tensor(out.reshape(taken, new Shape(List.of(type.dim(0), rows, window.columns()))));
    }

    private static Datum fold(Arguments args, Emission out) {
        TensorType type = Tensors.ranked("fold", out.type(args.tensor("x")), 3);
        int[] size = args.pair("output_size");
        Window window = Window.of(args, size[0], size[1]);
        Dim channels = type.dim(1)
                .divideExact(window.taps())
                .orElseThrow(() -> new SemanticError(
                        "E0301", "columns of " + type + " are not made of patches of " + window.taps() + " pixels"));
        if (!type.dim(2).equals(window.columns())) {
            throw new SemanticError(
                    "E0301", "there are " + window.columns() + " patches, and columns for " + type.dim(2));
        }
        Dim pairs = window.taps().times(window.columns());
        Shape flat = new Shape(List.of(type.dim(0), channels, pairs));
        ValueId places = out.expand(out.reshape(window.places(out), new Shape(List.of(Dim.ONE, Dim.ONE, pairs))), flat);
        ValueId added = out.apply(new ScatterAdd(2, window.pixels()), out.reshape(args.tensor("x"), flat), places);
        ValueId image = out.reshape(
                added, new Shape(List.of(type.dim(0), channels, Dim.of(window.height), Dim.of(window.width))));
        int[] padding = window.padding;
        ValueId rows = SelectionFunctions.part(image, 2, Dim.of(padding[0]), Dim.of(size[0]), out);
        return tensor(SelectionFunctions.part(rows, 3, Dim.of(padding[1]), Dim.of(size[1]), out));
    }

    /**
     * A window over a padded image of {@code height} x {@code width}.
     *
     * @param counts how many places it takes along each axis
     */
    private record Window(
            long height, long width, int[] kernel, int[] dilation, int[] padding, int[] stride, long[] counts) {
        static Window of(Arguments args, long height, long width) {
            int[] kernel = within("kernel_size", 1, args);
            int[] dilation = within("dilation", 1, args);
            int[] padding = within("padding", 0, args);
            int[] stride = within("stride", 1, args);
            long[] extents = {height + 2L * padding[0], width + 2L * padding[1]};
            long[] counts = new long[2];
            for (int axis = 0; axis < 2; axis++) {
                long reach = (kernel[axis] - 1L) * dilation[axis] + 1;
                counts[axis] = Math.floorDiv(extents[axis] - reach, stride[axis]) + 1;
                if (counts[axis] < 1) {
                    throw new SemanticError(
                            "E0301", "patches that reach over " + reach + " pixels do not fit into " + extents[axis]);
                }
            }
            if (extents[0] > MOST || extents[1] > MOST) {
                throw new SemanticError("E0306", "images of patches are of at most " + MOST + " pixels a side");
            }
            return new Window(extents[0], extents[1], kernel, dilation, padding, stride, counts);
        }

        private static int[] within(String name, int least, Arguments args) {
            int[] pair = args.pair(name);
            if (Math.min(pair[0], pair[1]) < least || Math.max(pair[0], pair[1]) > MOST) {
                throw new SemanticError("E0306", "'" + name + "' is from " + least + " to " + MOST);
            }
            return pair;
        }

        Dim pixels() {
            return Dim.of(height * width);
        }

        Dim taps() {
            return Dim.of((long) kernel[0] * kernel[1]);
        }

        Dim columns() {
            return Dim.of(counts[0] * counts[1]);
        }

        boolean isPadded() {
            return padding[0] > 0 || padding[1] > 0;
        }

        List<Dim> sides() {
            return List.of(Dim.ZERO, Dim.ZERO, Dim.of(padding[0]), Dim.of(padding[1]));
        }

        /** Which pixel stands where, pixels of the patch first: integers [kh·kw·L]. */
        ValueId places(Emission out) {
            long[] extents = {kernel[0], kernel[1], counts[0], counts[1]};
            double[] steps = {(double) dilation[0] * width, dilation[1], (double) stride[0] * width, stride[1]};
            ValueId sum = null;
            for (int axis = 0; axis < 4; axis++) {
                ValueId row =
                        out.apply(new Iota(0, steps[axis], IndexMap.ROW, TensorType.of(DType.I32, extents[axis])));
                List<Dim> line = new ArrayList<>(Collections.nCopies(4, Dim.ONE));
                line.set(axis, Dim.of(extents[axis]));
                ValueId along = out.expand(out.reshape(row, new Shape(line)), Shape.of(extents));
                sum = sum == null ? along : out.add(sum, along);
            }
            return out.reshape(sum, new Shape(List.of(taps().times(columns()))));
        }
    }
}
