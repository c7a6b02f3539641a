package dev.remat.compiler.builtin.layer;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.Initial;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.ir.Dim;
import dev.remat.ir.Initializer;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Compare;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Activations with parameters. */
public final class Activations {

    private Activations() {}

    public static List<Builtin> table() {
        return List.of(Builtin.layer(
                "prelu",
                "x: tensor, num_parameters: int = 1, init: float = 0.25",
                "`x` where positive, `weight`·x elsewhere (He et al., 2015); `weight` [num_parameters] is one "
                        + "number, or one for each channel (axis 1).",
                Activations::prelu));
    }

    private static Datum prelu(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = out.type(x);
        Dim count = args.dim("num_parameters");
        Dim channels = type.rank() > 1 ? type.dim(1) : Dim.ONE;
        if (!count.is(1) && !count.equals(channels)) {
            throw new SemanticError(
                    "E0301", "prelu takes 1 parameter or one for each of the " + channels + " channels, not " + count);
        }
        Initial start = new Initial.Fixed(new Initializer.Constant(args.real("init")));
        ValueId weight = out.parameter("weight", type.with(new Shape(List.of(count))), start);
        List<Dim> column = new ArrayList<>(Collections.nCopies(type.rank(), Dim.ONE));
        if (type.rank() > 1) {
            column.set(1, count);
        }
        ValueId slope = out.expand(out.reshape(weight, new Shape(column)), type.shape());
        ValueId below = out.mul(slope, out.clamp(x, Double.NEGATIVE_INFINITY, 0));
        return tensor(out.select(out.compare(Compare.Kind.GT, x, 0), x, below));
    }
}
