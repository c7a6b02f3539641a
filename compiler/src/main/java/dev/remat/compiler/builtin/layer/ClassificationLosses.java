package dev.remat.compiler.builtin.layer;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.Numbers;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.Embedding;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Unary;
import java.util.List;

/** Losses of one class among many: {@code targets} are integers, the classes are the last axis of the scores. */
public final class ClassificationLosses {
    private static final String WEIGHTS = "weight: tensor = none, ";

    private ClassificationLosses() {}

    public static List<Builtin> table() {
        return List.of(
                Builtin.function(
                        "cross_entropy",
                        "logits: tensor, targets: tensor, label_smoothing: float = 0.0, ignore_index: int = -100, "
                                + WEIGHTS + "sample_weight: tensor = none, " + Reduction.SLOT,
                        "Mean negative log-likelihood of the integer `targets` [..] under softmax of `logits` "
                                + "[.., classes]; rows count by the `weight` [classes] of their target and by "
                                + "`sample_weight` [..].",
                        ClassificationLosses::crossEntropy),
                Builtin.function(
                        "nll_loss",
                        "log_probabilities: tensor, targets: tensor, " + WEIGHTS + "ignore_index: int = -100, "
                                + Reduction.SLOT,
                        "Mean of −`log_probabilities` [.., classes] at the integer `targets` [..]; rows count by the "
                                + "`weight` [classes] of their target.",
                        ClassificationLosses::negativeLogLikelihood),
                Builtin.function(
                        "multi_margin_loss",
                        "x: tensor, targets: tensor, p: int = 1, margin: float = 1.0, " + WEIGHTS + Reduction.SLOT,
                        "Mean of Σ max(0, margin − x[target] + x[class])ᵖ/classes over the other classes, times the "
                                + "`weight` of the target.",
                        ClassificationLosses::multiMargin));
    }

    private static Datum crossEntropy(Arguments args, Emission out) {
        Rows rows = Rows.of("logits", args, out);
        double smoothing = args.real("label_smoothing");
        long ignored = args.integer("ignore_index");
        Reduction reduction = Reduction.of(args);
        boolean isWeighted = args.isGiven("weight") || args.isGiven("sample_weight");
        if (reduction == Reduction.MEAN && !isWeighted) {
            return tensor(out.apply(new CrossEntropy(smoothing, ignored), rows.scores(), rows.targets()));
        }
        CrossEntropy op = new CrossEntropy(args.isGiven("weight") ? 0 : smoothing, ignored, true);
        ValueId losses = out.apply(op, rows.scores(), rows.targets());
        if (!isWeighted) {
            return tensor(reduction.of(rows.shaped(losses, out), out));
        }
        TensorType type = out.type(losses);
        ValueId kept = rows.kept(ignored, out);
        ValueId chosen = rows.chosen(kept, out);
        ValueId ofSamples = out.cast(kept, type.dtype());
        if (args.isGiven("sample_weight")) {
            ValueId own = args.tensor("sample_weight");
            if (!out.type(own).shape().equals(rows.shape())) {
                throw new SemanticError(
                        "E0301", "sample_weight " + out.type(own) + " does not have the shape of the targets");
            }
            ofSamples = out.mul(ofSamples, out.cast(out.reshape(own, type.shape()), type.dtype()));
        }
        if (!args.isGiven("weight")) {
            ValueId weighted = out.mul(losses, ofSamples);
            return tensor(reduction.weighted(rows.shaped(weighted, out), ofSamples, out));
        }
        ValueId classes = out.cast(rows.classWeights(args, out), type.dtype());
        ValueId ofTargets = picked(classes, chosen, out);
        ValueId byClass = out.mul(losses, ofTargets);
        if (smoothing > 0) {
            double share = smoothing / Numbers.known(rows.classes(out));
            ValueId spread = smoothed(rows, losses, chosen, classes, out);
            byClass = out.add(out.scale(byClass, 1 - smoothing), out.scale(spread, share));
        }
        ValueId weighted = out.mul(byClass, ofSamples);
        ValueId weights = out.mul(ofSamples, ofTargets);
        return tensor(reduction.weighted(rows.shaped(weighted, out), weights, out));
    }

    /** {@code −Σ w·log p} over all classes of each row, from the loss at the target: log p = x − x[target] − loss. */
    private static ValueId smoothed(Rows rows, ValueId losses, ValueId chosen, ValueId classes, Emission out) {
        TensorType type = out.type(losses);
        ValueId atTarget = out.cast(rows.at(chosen, out), type.dtype());
        ValueId logSumExp = out.add(losses, atTarget);
        ValueId column = out.reshape(classes, new Shape(List.of(rows.classes(out), Dim.ONE)));
        ValueId scores = out.cast(rows.scores(), type.dtype());
        ValueId product = out.reshape(Tensors.matmul(scores, column, false, false, out), type.shape());
        ValueId sum = out.expand(Tensors.total(Reduce.Kind.SUM, classes, out), type.shape());
        return out.sub(out.mul(logSumExp, sum), product);
    }

    private static Datum negativeLogLikelihood(Arguments args, Emission out) {
        Rows rows = Rows.of("log_probabilities", args, out);
        ValueId kept = rows.kept(args.integer("ignore_index"), out);
        ValueId chosen = rows.chosen(kept, out);
        ValueId likelihoods = rows.at(chosen, out);
        ValueId weights = out.cast(kept, out.type(likelihoods).dtype());
        if (args.isGiven("weight")) {
            weights = out.mul(weights, picked(rows.classWeights(args, out), chosen, out));
        }
        TensorType type = out.type(likelihoods);
        ValueId losses = out.select(kept, out.neg(out.mul(likelihoods, weights)), out.filled(0, type));
        return tensor(Reduction.of(args).weighted(rows.shaped(losses, out), weights, out));
    }

    private static Datum multiMargin(Arguments args, Emission out) {
        long p = args.integer("p");
        if (p != 1 && p != 2) {
            throw new SemanticError("E0306", "'p' is 1 or 2, not " + p);
        }
        Rows rows = Rows.of("x", args, out);
        TensorType type = out.type(rows.scores());
        double margin = args.real("margin");
        ValueId others = out.sub(rows.scores(), out.expand(rows.column(rows.targets(), out), type.shape()));
        ValueId excess = out.unary(Unary.Kind.RELU, out.plus(others, margin));
        ValueId terms = p == 2 ? out.mul(excess, excess) : excess;
        ValueId sums = Tensors.dropped(out.sum(terms, List.of(1)), List.of(1), out);
        // The target itself adds its margin to the sum.
        double own = margin > 0 ? Math.pow(margin, p) : 0;
        ValueId losses = out.scale(out.plus(sums, -own), 1.0 / Numbers.known(rows.classes(out)));
        if (args.isGiven("weight")) {
            losses = out.mul(losses, picked(rows.classWeights(args, out), rows.targets(), out));
        }
        return tensor(Reduction.of(args).of(rows.shaped(losses, out), out));
    }

    /** {@code table[ids]}, of vectors. */
    private static ValueId picked(ValueId table, ValueId ids, Emission out) {
        ValueId rows = out.reshape(table, new Shape(List.of(out.type(table).dim(0), Dim.ONE)));
        return Tensors.dropped(out.apply(new Embedding(), rows, ids), List.of(1), out);
    }
}
