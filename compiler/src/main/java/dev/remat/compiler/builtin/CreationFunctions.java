package dev.remat.compiler.builtin;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.ir.TensorType;
import java.util.List;

/** Constant tensors. */
public final class CreationFunctions {
    private CreationFunctions() {}

    public static List<Builtin> table() {
        return List.of(
                Builtin.function(
                        "zeros",
                        "shape: ints, dtype: dtype = f32",
                        "A tensor of zeros; where an initialiser is wanted, the one that starts at 0.",
                        (args, out) -> filled(0, args, out)),
                Builtin.function(
                        "ones",
                        "shape: ints, dtype: dtype = f32",
                        "A tensor of ones; where an initialiser is wanted, the one that starts at 1.",
                        (args, out) -> filled(1, args, out)),
                Builtin.function(
                        "full",
                        "shape: ints, value: float, dtype: dtype = f32",
                        "A tensor of one repeated value.",
                        (args, out) -> filled(args.real("value"), args, out)),
                Builtin.function(
                        "zeros_like",
                        "x: tensor",
                        "Zeros of the type of `x`.",
                        (args, out) -> tensor(out.filled(0, out.type(args.tensor("x"))))),
                Builtin.function(
                        "ones_like",
                        "x: tensor",
                        "Ones of the type of `x`.",
                        (args, out) -> tensor(out.filled(1, out.type(args.tensor("x"))))));
    }

    private static Datum filled(double value, Arguments args, Emission out) {
        return tensor(out.filled(value, new TensorType(args.dtype("dtype"), args.shape("shape"))));
    }
}
