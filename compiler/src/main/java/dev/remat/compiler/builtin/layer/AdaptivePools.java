package dev.remat.compiler.builtin.layer;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.Numbers;
import dev.remat.compiler.builtin.SelectionFunctions;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.MaxPool2d;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.PoolWindow;
import java.util.ArrayList;
import java.util.List;

/**
 * Pools to an output of a given size. Window i of n over an extent L runs from ⌊i·L/n⌋ up to ⌈(i+1)·L/n⌉; where n
 * divides L these are the windows of an ordinary pool, else columns are pooled first and then rows, window by window.
 */
final class AdaptivePools {
    private static final int MOST = 10_000;

    private AdaptivePools() {}

    /** What becomes of a window. */
    enum Kind {
        MEAN("Mean"),
        MAX("Maximum");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        Op over(int height, int width) {
            PoolWindow window = new PoolWindow(height, width, height, width, 0, 0);
            return this == MEAN ? new AvgPool2d(window, true) : new MaxPool2d(window);
        }
    }

    static Builtin pool(String name, int axes, Kind kind) {
        return Builtin.function(
                name,
                "x: tensor, output_size: " + (axes == 2 ? "pair" : "int"),
                kind.word + " of each of `output_size` windows of about one size over "
                        + (axes == 2 ? "[N, C, H, W]." : "[N, C, L]."),
                (args, out) -> run(name, axes, kind, args, out));
    }

    private static Datum run(String name, int axes, Kind kind, Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = Tensors.ranked(name, out.type(x), axes + 2);
        int[] size = axes == 2 ? args.pair("output_size") : new int[] {1, args.smallInteger("output_size")};
        for (int each : size) {
            if (each < 1 || each > MOST) {
                throw new SemanticError("E0306", "'output_size' is from 1 to " + MOST + ", not " + each);
            }
        }
        Dim height = axes == 2 ? type.dim(2) : Dim.ONE;
        Dim width = type.dim(axes + 1);
        ValueId image = out.reshape(x, new Shape(List.of(type.dim(0), type.dim(1), height, width)));
        if (divides(size[0], height) && divides(size[1], width)) {
            image = out.apply(kind.over((int) (height.value() / size[0]), (int) (width.value() / size[1])), image);
        } else {
            image = along(along(image, 3, size[1], kind, out), 2, size[0], kind, out);
        }
        return tensor(axes == 2 ? image : Tensors.dropped(image, List.of(2), out));
    }

    private static boolean divides(int parts, Dim extent) {
        return Numbers.known(extent) % parts == 0;
    }

    private static ValueId along(ValueId image, int axis, int size, Kind kind, Emission out) {
        long extent = Numbers.known(out.type(image).dim(axis));
        List<ValueId> parts = new ArrayList<>();
        for (long i = 0; i < size; i++) {
            long start = i * extent / size;
            long length = Math.ceilDiv((i + 1) * extent, size) - start;
            ValueId window = SelectionFunctions.part(image, axis, Dim.of(start), Dim.of(length), out);
            Op pool = axis == 2 ? kind.over((int) length, 1) : kind.over(1, (int) length);
            parts.add(length == 1 ? window : out.apply(pool, window));
        }
        return parts.size() == 1
                ? parts.getFirst()
                : out.emit(new Concat(axis), parts).getFirst();
    }
}
