package dev.remat.compiler.builtin.layer;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Unary;
import java.util.List;
import java.util.function.BiFunction;

/** Losses that measure how far numbers are from other numbers. */
public final class RegressionLosses {
    private RegressionLosses() {}

    public static List<Builtin> table() {
        return List.of(
                loss("mse", "", "Mean squared difference.", (args, out) -> {
                    ValueId difference = difference(args, out);
                    return out.mul(difference, difference);
                }),
                loss("l1_loss", "", "Mean absolute difference.", RegressionLosses::distance),
                loss("mae", "", "Mean absolute difference, as `l1_loss`.", RegressionLosses::distance),
                loss(
                        "smooth_l1",
                        "beta: float = 1.0, ",
                        "Mean of d²/(2·beta) for differences d below `beta`, of |d| − beta/2 for others (Girshick,"
                                + " 2015).",
                        (args, out) -> {
                            double beta = notNegative("beta", args);
                            ValueId distance = distance(args, out);
                            return beta == 0 ? distance : bent(distance, beta, 1 / beta, 1, out);
                        }),
                loss(
                        "huber",
                        "delta: float = 1.0, ",
                        "Mean of d²/2 for differences d up to `delta`, of delta·(|d| − delta/2) for others (Huber,"
                                + " 1964).",
                        (args, out) -> {
                            double delta = args.real("delta");
                            if (!(delta > 0)) {
                                throw new SemanticError("E0306", "'delta' must be positive, and is " + delta);
                            }
                            return bent(distance(args, out), delta, 1, delta, out);
                        }));
    }

    private static Builtin loss(
            String name, String more, String summary, BiFunction<Arguments, Emission, ValueId> losses) {
        return Builtin.function(
                name,
                "x: tensor, y: tensor, " + more + Reduction.SLOT,
                summary,
                (args, out) -> tensor(Reduction.of(args).of(losses.apply(args, out), out)));
    }

    private static ValueId difference(Arguments args, Emission out) {
        return Tensors.binary(Binary.Kind.SUB, args.any("x"), args.any("y"), out);
    }

    private static ValueId distance(Arguments args, Emission out) {
        return out.unary(Unary.Kind.ABS, difference(args, out));
    }

    /** A parabola of {@code curvature} up to {@code bend}, a line of {@code slope} beyond. */
    private static ValueId bent(ValueId distance, double bend, double curvature, double slope, Emission out) {
        ValueId near = out.clamp(distance, 0, bend);
        ValueId parabola = out.scale(out.mul(near, near), curvature / 2);
        ValueId far = out.sub(distance, near);
        return out.add(parabola, slope == 1 ? far : out.scale(far, slope));
    }

    static double notNegative(String name, Arguments args) {
        double value = args.real(name);
        if (!(value >= 0)) {
            throw new SemanticError("E0306", "'" + name + "' is negative: " + value);
        }
        return value;
    }
}
