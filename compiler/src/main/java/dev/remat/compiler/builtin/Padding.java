package dev.remat.compiler.builtin;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Pad;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What stands around a tensor: a value, or elements of its own. */
public final class Padding {
    /** Elements that may be added at a side. */
    public static final int MOST = 10_000;

    private static final List<String> MODES = List.of("constant", "reflect", "replicate", "circular");

    private Padding() {}

    static final Builtin BUILTIN = Builtin.function(
            "pad",
            "x: tensor, padding: ints, value: float = 0.0, mode: string = \"constant\"",
            "Elements before and after, two numbers an axis from the last axis on, as in PyTorch: of `value`, or with "
                    + "`mode` \"reflect\", \"replicate\" or \"circular\" mirrored, the nearest, or from the other end.",
            Padding::pad);

    private static Datum pad(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        int rank = out.type(x).rank();
        List<Dim> padding = args.dims("padding");
        if (padding.size() % 2 != 0 || padding.size() > 2 * rank) {
            throw new SemanticError("E0306", "padding takes two numbers an axis, at most " + 2 * rank + " here");
        }
        String mode = args.text("mode");
        if (!MODES.contains(mode)) {
            throw new SemanticError(
                    "E0306",
                    "'mode' is \"constant\", \"reflect\", \"replicate\" or \"circular\", not \"" + mode + "\"");
        }
        if (!mode.equals("constant")) {
            for (int i = 0; i < padding.size(); i += 2) {
                x = around(x, rank - 1 - i / 2, count(padding.get(i)), count(padding.get(i + 1)), mode, out);
            }
            return tensor(x);
        }
        List<Dim> low = new ArrayList<>(Collections.nCopies(rank, Dim.ZERO));
        List<Dim> high = new ArrayList<>(low);
        for (int i = 0; i < padding.size(); i += 2) {
            low.set(rank - 1 - i / 2, padding.get(i));
            high.set(rank - 1 - i / 2, padding.get(i + 1));
        }
        return tensor(out.apply(new Pad(low, high, args.real("value")), x));
    }

    private static int count(Dim padding) {
        long count = Numbers.known(padding);
        if (count < 0 || count > MOST) {
            throw new SemanticError("E0306", "such padding is from 0 to " + MOST + " elements, not " + count);
        }
        return (int) count;
    }

    /**
     * {@code before} elements in front of and {@code after} behind what lies along {@code axis}.
     *
     * @param mode "reflect", "replicate" or "circular"
     * @throws SemanticError if there are too few elements for it (E0301)
     */
    public static ValueId around(ValueId x, int axis, int before, int after, String mode, Emission out) {
        if (before == 0 && after == 0) {
            return x;
        }
        TensorType type = out.type(x);
        Dim extent = type.dim(axis);
        int most = Math.max(before, after);
        boolean tooMuch = extent.isConstant()
                && switch (mode) {
                    case "reflect" -> most >= extent.value();
                    case "circular" -> most > extent.value();
                    default -> false;
                };
        if (tooMuch) {
            throw new SemanticError(
                    "E0301", "axis " + axis + " of " + type + " has too few elements to pad by " + most);
        }
        List<ValueId> parts = new ArrayList<>();
        for (int i = 0; mode.equals("reflect") && i < before; i++) {
            parts.add(SelectionFunctions.part(x, axis, Dim.of(before - i), Dim.ONE, out));
        }
        if (before > 0 && mode.equals("replicate")) {
            parts.add(repeated(x, axis, Dim.ZERO, before, out));
        } else if (before > 0 && mode.equals("circular")) {
            parts.add(SelectionFunctions.part(x, axis, extent.minus(before), Dim.of(before), out));
        }
        parts.add(x);
        for (int i = 0; mode.equals("reflect") && i < after; i++) {
            parts.add(SelectionFunctions.part(x, axis, extent.minus(2 + i), Dim.ONE, out));
        }
        if (after > 0 && mode.equals("replicate")) {
            parts.add(repeated(x, axis, extent.minus(1), after, out));
        } else if (after > 0 && mode.equals("circular")) {
            parts.add(SelectionFunctions.part(x, axis, Dim.ZERO, Dim.of(after), out));
        }
        return out.emit(new Concat(axis), parts).getFirst();
    }

    /** Element {@code at}, {@code count} times. */
    private static ValueId repeated(ValueId x, int axis, Dim at, int count, Emission out) {
        ValueId one = SelectionFunctions.part(x, axis, at, Dim.ONE, out);
        return out.expand(one, out.type(x).shape().with(axis, Dim.of(count)));
    }
}
