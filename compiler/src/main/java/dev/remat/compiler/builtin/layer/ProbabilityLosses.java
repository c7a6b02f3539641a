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
            TensorType type = out.type(logits);
            ValueId extra = out.expand(out.plus(args.tensor("pos_weight"), -1), type.shape());
            ValueId count = out.plus(out.mul(extra, targets), 1);
            ValueId against = out.mul(out.sub(out.filled(1, type), targets), logits);
            losses = out.add(against, out.mul(count, out.unary(Unary.Kind.SOFTPLUS, out.neg(logits))));
        } else {
            ValueId likelihood = Tensors.binary(Binary.Kind.MUL, args.any("logits"), args.any("targets"), out);
            losses = out.sub(out.unary(Unary.Kind.SOFTPLUS, x), likelihood);
        }
        return args.isGiven("weight")
                ? Tensors.binary(Binary.Kind.MUL, tensor(losses), args.any("weight"), out)
                : losses;
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
        ValueId losses = out.sub(out.unary(Unary.Kind.SOFTPLUS, x), out.mul(x, t));
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
