package dev.remat.compiler.builtin.layer;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Unary;
import java.util.List;
import java.util.stream.IntStream;

/** Losses of probabilities, element by element: of two outcomes, of distributions and of Gaussians. */
public final class ProbabilityLosses {
    private static final String WEIGHT = "weight: tensor = none, ";

    private ProbabilityLosses() {}

    public static List<Builtin> table() {
        return List.of(
                Builtin.function(
                        "bce_with_logits",
                        "logits: tensor, targets: tensor, " + WEIGHT + "pos_weight: tensor = none, " + Reduction.SLOT,
                        "Mean binary cross entropy of `targets` from 0 to 1 under sigmoid of `logits`; `weight` counts "
                                + "elements, `pos_weight` what speaks for 1.",
                        (args, out) -> reduced(withLogits(args, out), args, out)),
                Builtin.function(
                        "bce",
                        "x: tensor, targets: tensor, " + WEIGHT + Reduction.SLOT,
                        "Mean binary cross entropy of `targets` from 0 to 1 under the probabilities `x`; logarithms"
                                + " count as −100 at least. `bce_with_logits` is the better conditioned.",
                        (args, out) -> reduced(weighted(ofProbabilities(args, out), args, out), args, out)),
                Builtin.function(
                        "gaussian_nll",
                        "x: tensor, targets: tensor, var: tensor, full: bool = false, eps: float = 1e-06, "
                                + Reduction.SLOT,
                        "Mean of (log(var) + (x − targets)²/var)/2, no variance below `eps`; `full` adds log(2π)/2.",
                        ProbabilityLosses::gaussian),
                Builtin.function(
                        "focal",
                        "logits: tensor, targets: tensor, alpha: float = 0.25, gamma: float = 2.0, " + Reduction.SLOT,
                        "Mean of (1 − p)^gamma times the binary cross entropy, with the probability p of what is"
                                + " right; `alpha` weights targets of 1, 1 − alpha those of 0, none if negative (Lin et"
                                + " al., 2017).",
                        ProbabilityLosses::focal),
                Builtin.function(
                        "kl_div",
                        "x: tensor, targets: tensor, log_target: bool = false, " + Reduction.SLOT,
                        "Mean of targets·(log(targets) − x) for log-probabilities `x`; with `log_target`, `targets`"
                                + " are log-probabilities too. `reduction` may also be \"batchmean\", the sum over axis"
                                + " 0's extent.",
                        ProbabilityLosses::divergence));
    }

    private static Datum reduced(ValueId losses, Arguments args, Emission out) {
        return tensor(Reduction.of(args).of(losses, out));
    }

    private static ValueId withLogits(Arguments args, Emission out) {
        ValueId x = args.tensor("logits");
        ValueId losses;
        if (args.isGiven("pos_weight")) {
            List<ValueId> both = Tensors.aligned("bce_with_logits", args.any("logits"), args.any("targets"), out);
            ValueId logits = both.get(0);
            ValueId targets = both.get(1);
            ValueId positive =
                    out.expand(args.tensor("pos_weight"), out.type(logits).shape());
            losses = unlikeliness(logits, targets, out.mul(positive, targets), out);
        } else {
            ValueId likelihood = Tensors.binary(Binary.Kind.MUL, args.any("logits"), args.any("targets"), out);
            losses = out.sub(out.unary(Unary.Kind.SOFTPLUS, x), likelihood);
        }
        return weighted(losses, args, out);
    }

    /**
     * {@code −w·log(p) − (1 − t)·log(1 − p)} with the probability p of {@code logits}: logarithms apart, since little
     * is left of a difference from {@code x·t} where p is nearly right.
     *
     * @param weighted w, how much speaks for 1; {@code targets}, or a multiple of them
     */
    private static ValueId unlikeliness(ValueId logits, ValueId targets, ValueId weighted, Emission out) {
        ValueId rest = out.sub(out.filled(1, out.type(targets)), targets);
        ValueId missed = out.mul(weighted, out.unary(Unary.Kind.SOFTPLUS, out.neg(logits)));
        return out.add(missed, out.mul(rest, out.unary(Unary.Kind.SOFTPLUS, logits)));
    }

    private static ValueId weighted(ValueId losses, Arguments args, Emission out) {
        return args.isGiven("weight")
                ? Tensors.binary(Binary.Kind.MUL, tensor(losses), args.any("weight"), out)
                : losses;
    }

    /**
     * The value with its logarithms cut off, and by {@code x} the slope {@code (x − t)/max(x·(1 − x), 1e-12)}, which is
     * finite where they are not: 1e-12 is 0 in f16, where the least normal number stands in for it.
     */
    private static ValueId ofProbabilities(Arguments args, Emission out) {
        List<ValueId> both = Tensors.aligned("bce", args.any("x"), args.any("targets"), out);
        ValueId t = both.get(1);
        TensorType type = out.type(t);
        ValueId x = out.stopGradient(both.get(0));
        ValueId rest = out.sub(out.filled(1, type), x);
        ValueId sure = out.mul(t, cut(out.unary(Unary.Kind.LOG, x), out));
        ValueId unsure = out.mul(out.sub(out.filled(1, type), t), cut(out.unary(Unary.Kind.LOG, rest), out));
        ValueId value = out.neg(out.add(sure, unsure));
        // Made from x, this rounds as whatever is computed from x does.
        ValueId tiny = out.clamp(out.scale(x, 0), 1e-12, Double.POSITIVE_INFINITY);
        ValueId vanished = out.compare(Compare.Kind.EQ, tiny, 0);
        ValueId least = out.select(vanished, out.filled(0x1p-14, type), tiny);
        ValueId spread = out.binary(Binary.Kind.MAX, out.mul(x, rest), least);
        ValueId slope = out.div(out.sub(x, out.stopGradient(t)), spread);
        return out.add(value, out.mul(slope, out.sub(both.get(0), x)));
    }

    private static ValueId cut(ValueId logarithm, Emission out) {
        return out.clamp(logarithm, -100, Double.POSITIVE_INFINITY);
    }

    private static Datum gaussian(Arguments args, Emission out) {
        List<ValueId> both = Tensors.aligned("gaussian_nll", args.any("x"), args.any("targets"), out);
        TensorType type = out.type(both.get(0));
        double eps = args.real("eps");
        if (!(eps > 0)) {
            throw new SemanticError("E0306", "'eps' must be positive, and is " + eps);
        }
        ValueId variance = Norms.atLeast(eps, args.tensor("var"), out);
        ValueId given = out.expand(variance, Tensors.joint("gaussian_nll", type, out.type(variance)));
        if (!out.type(given).shape().equals(type.shape())) {
            throw new SemanticError("E0301", "var " + out.type(args.tensor("var")) + " does not repeat to " + type);
        }
        ValueId deviation = out.sub(both.get(0), both.get(1));
        ValueId squares = out.div(out.mul(deviation, deviation), given);
        ValueId losses = out.scale(out.add(out.unary(Unary.Kind.LOG, given), squares), 0.5);
        return reduced(args.flag("full") ? out.plus(losses, Math.log(2 * Math.PI) / 2) : losses, args, out);
    }

    private static Datum focal(Arguments args, Emission out) {
        double gamma = RegressionLosses.notNegative("gamma", args);
        double alpha = args.real("alpha");
        if (alpha > 1) {
            throw new SemanticError("E0306", "'alpha' is at most 1, and is " + alpha);
        }
        List<ValueId> both = Tensors.aligned("focal", args.any("logits"), args.any("targets"), out);
        ValueId x = both.get(0);
        ValueId t = both.get(1);
        ValueId p = out.unary(Unary.Kind.SIGMOID, x);
        ValueId wrong = out.sub(out.add(p, t), out.scale(out.mul(p, t), 2));
        ValueId losses = unlikeliness(x, t, t, out);
        if (gamma > 0) {
            losses = out.mul(losses, Tensors.power(tensor(wrong), new Datum.FloatValue(gamma), out));
        }
        if (alpha >= 0) {
            losses = out.mul(losses, out.plus(out.scale(t, 2 * alpha - 1), 1 - alpha));
        }
        return reduced(losses, args, out);
    }

    private static Datum divergence(Arguments args, Emission out) {
        List<ValueId> both = Tensors.aligned("kl_div", args.any("x"), args.any("targets"), out);
        ValueId x = both.get(0);
        ValueId t = both.get(1);
        ValueId losses;
        if (args.flag("log_target")) {
            losses = out.mul(out.unary(Unary.Kind.EXP, t), out.sub(t, x));
        } else {
            // Probabilities of 0 add nothing, and their logarithm is never taken.
            ValueId isZero = out.compare(Compare.Kind.EQ, t, 0);
            ValueId logarithm = out.unary(Unary.Kind.LOG, out.select(isZero, out.filled(1, out.type(t)), t));
            losses = out.sub(out.mul(t, logarithm), out.mul(t, x));
        }
        if (!args.text("reduction").equals("batchmean")) {
            return reduced(losses, args, out);
        }
        if (out.type(losses).rank() == 0) {
            throw new SemanticError("E0301", "\"batchmean\" divides by the extent of axis 0, and a scalar has none");
        }
        // Means over rows of sums, so that the extent may be a symbol.
        List<Integer> inner =
                IntStream.range(1, out.type(losses).rank()).boxed().toList();
        return tensor(Reduction.MEAN.of(out.sum(losses, inner), out));
    }
}
