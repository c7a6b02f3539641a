package dev.remat.compiler.builtin.layer;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.Initial;
import dev.remat.compiler.builtin.SelectionFunctions;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.ir.Dim;
import dev.remat.ir.Initializer;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Unary;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Activations made of elementwise operations, which one kernel computes together. A branch that is not taken gets a
 * harmless operand: a gradient of 0 times an infinity would be no number. At kinks gradients are those of PyTorch.
 */
public final class Activations {
    private static final double SELU_ALPHA = 1.6732632423543772;
    private static final double SELU_SCALE = 1.0507009873554805;
    private static final double INFINITE = Double.POSITIVE_INFINITY;

    private Activations() {}

    public static List<Builtin> table() {
        return List.of(
                of(
                        "elu",
                        "alpha: float = 1.0",
                        "`x` where positive, alpha·(eˣ − 1) elsewhere (Clevert et al., 2016).",
                        (args, out) -> elu(args.tensor("x"), args.real("alpha"), 1, out)),
                of(
                        "selu",
                        "",
                        "1.0507·elu(x, alpha = 1.6733), which keeps mean 0 and variance 1 (Klambauer et al., 2017).",
                        (args, out) -> out.scale(elu(args.tensor("x"), SELU_ALPHA, 1, out), SELU_SCALE)),
                of(
                        "celu",
                        "alpha: float = 1.0",
                        "`x` where positive, alpha·(e^(x/alpha) − 1) elsewhere (Barron, 2017).",
                        (args, out) -> elu(args.tensor("x"), args.real("alpha"), notZero(args, "alpha"), out)),
                of("mish", "", "x·tanh(softplus(x)) (Misra, 2020).", (args, out) -> {
                    ValueId x = args.tensor("x");
                    return out.mul(x, out.unary(Unary.Kind.TANH, out.unary(Unary.Kind.SOFTPLUS, x)));
                }),
                of(
                        "hardtanh",
                        "min_val: float = -1.0, max_val: float = 1.0",
                        "`x` between `min_val` and `max_val`, the nearer of both elsewhere.",
                        (args, out) -> bounded(args.tensor("x"), args.real("min_val"), args.real("max_val"), out)),
                of("relu6", "", "min(max(x, 0), 6).", (args, out) -> bounded(args.tensor("x"), 0, 6, out)),
                of(
                        "hardsigmoid",
                        "",
                        "relu6(x + 3)/6.",
                        (args, out) -> sixth(bounded(out.plus(args.tensor("x"), 3), 0, 6, out), out)),
                of("hardswish", "", "x·relu6(x + 3)/6 (Howard et al., 2019).", Activations::hardswish),
                of(
                        "logsigmoid",
                        "",
                        "log(1/(1 + e⁻ˣ)).",
                        (args, out) -> out.neg(out.unary(Unary.Kind.SOFTPLUS, out.neg(args.tensor("x"))))),
                of(
                        "tanhshrink",
                        "",
                        "x − tanh(x).",
                        (args, out) -> out.sub(args.tensor("x"), out.unary(Unary.Kind.TANH, args.tensor("x")))),
                of(
                        "softsign",
                        "",
                        "x/(1 + |x|).",
                        (args, out) ->
                                out.div(args.tensor("x"), out.plus(out.unary(Unary.Kind.ABS, args.tensor("x")), 1))),
                of("hardshrink", "lambd: float = 0.5", "`x` where |x| > `lambd`, 0 elsewhere.", (args, out) -> {
                    ValueId x = args.tensor("x");
                    return out.select(within(x, args.real("lambd"), out), zero(x, out), x);
                }),
                of(
                        "softshrink",
                        "lambd: float = 0.5",
                        "`x` moved towards 0 by `lambd`, 0 where that would cross it.",
                        Activations::softshrink),
                of(
                        "threshold",
                        "threshold: float, value: float",
                        "`x` where it is above `threshold`, `value` elsewhere.",
                        (args, out) -> {
                            ValueId x = args.tensor("x");
                            ValueId low = out.compare(Compare.Kind.LE, x, args.real("threshold"));
                            return out.select(low, out.filled(args.real("value"), out.type(x)), x);
                        }),
                gated(
                        "glu",
                        "a·sigmoid(b) of the halves a, b of `x` along `axis` (Dauphin et al., 2017).",
                        Unary.Kind.SIGMOID),
                gated("swiglu", "a·silu(b) of the halves a, b of `x` along `axis` (Shazeer, 2020).", Unary.Kind.SILU),
                gated("geglu", "a·gelu(b) of the halves a, b of `x` along `axis` (Shazeer, 2020).", Unary.Kind.GELU),
                Builtin.layer(
                        "prelu",
                        "x: tensor, num_parameters: int = 1, init: float = 0.25",
                        "`x` where positive, `weight`·x elsewhere (He et al., 2015); `weight` [num_parameters] is one "
                                + "number, or one for each channel (axis 1).",
                        Activations::prelu));
    }

    private static Builtin of(String name, String more, String summary, BiFunction<Arguments, Emission, ValueId> body) {
        return Builtin.function(
                name,
                more.isEmpty() ? "x: tensor" : "x: tensor, " + more,
                summary,
                (args, out) -> tensor(body.apply(args, out)));
    }

    private static Builtin gated(String name, String summary, Unary.Kind gate) {
        return Builtin.function(name, "x: tensor, axis: int = -1", summary, (args, out) -> {
            ValueId x = args.tensor("x");
            TensorType type = out.type(x);
            int axis = args.axis("axis", type.rank());
            Dim extent = type.dim(axis);
            Dim half = extent.divideExact(Dim.of(2))
                    .orElseThrow(() -> new SemanticError(
                            "E0301", name + " halves axis " + axis + ", and " + extent + " of " + type + " is odd"));
            ValueId open = SelectionFunctions.part(x, axis, half, half, out);
            return tensor(out.mul(SelectionFunctions.part(x, axis, Dim.ZERO, half, out), out.unary(gate, open)));
        });
    }

    /** {@code x} where positive, {@code alpha·(exp(x/width) − 1)} elsewhere. */
    private static ValueId elu(ValueId x, double alpha, double width, Emission out) {
        ValueId below = out.clamp(x, -INFINITE, 0);
        ValueId narrowed = width == 1 ? below : out.scale(below, 1 / width);
        ValueId curve = out.unary(Unary.Kind.EXPM1, narrowed);
        return out.select(out.compare(Compare.Kind.GT, x, 0), x, alpha == 1 ? curve : out.scale(curve, alpha));
    }

    /** Cut off at {@code low} and {@code high}, where the gradient is 0. */
    private static ValueId bounded(ValueId x, double low, double high, Emission out) {
        if (low > high) {
            throw new SemanticError("E0306", "the interval from " + low + " to " + high + " is empty");
        }
        TensorType type = out.type(x);
        ValueId below = out.select(out.compare(Compare.Kind.GE, x, high), out.filled(high, type), x);
        return out.select(out.compare(Compare.Kind.LE, x, low), out.filled(low, type), below);
    }

    private static ValueId hardswish(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        ValueId inner = out.clamp(x, -3, 3);
        ValueId curve = sixth(out.mul(inner, out.plus(inner, 3)), out);
        ValueId right = out.select(out.compare(Compare.Kind.GE, x, 3), x, curve);
        return out.select(out.compare(Compare.Kind.LE, x, -3), zero(x, out), right);
    }

    private static ValueId softshrink(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        double margin = args.real("lambd");
        if (!(margin >= 0)) {
            throw new SemanticError("E0306", "'lambd' is negative: " + margin);
        }
        ValueId shift = out.scale(out.unary(Unary.Kind.SIGN, x), margin);
        return out.select(within(x, margin, out), zero(x, out), out.sub(x, shift));
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
        ValueId below = out.mul(slope, out.clamp(x, -INFINITE, 0));
        return tensor(out.select(out.compare(Compare.Kind.GT, x, 0), x, below));
    }

    private static ValueId within(ValueId x, double margin, Emission out) {
        return out.binary(
                Binary.Kind.AND, out.compare(Compare.Kind.GE, x, -margin), out.compare(Compare.Kind.LE, x, margin));
    }

    private static ValueId sixth(ValueId x, Emission out) {
        return out.div(x, out.filled(6, out.type(x)));
    }

    private static ValueId zero(ValueId x, Emission out) {
        return out.filled(0, out.type(x));
    }

    private static double notZero(Arguments args, String name) {
        double value = args.real(name);
        if (value == 0) {
            throw new SemanticError("E0306", "'" + name + "' must not be 0");
        }
        return value;
    }
}
