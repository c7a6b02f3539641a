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

/** Losses that compare vectors, or rank scores: {@code targets} are 1 for alike and −1 for not alike. */
public final class SimilarityLosses {
    private SimilarityLosses() {}

    public static List<Builtin> table() {
        return List.of(
                Builtin.function(
                        "cosine_similarity",
                        "x: tensor, y: tensor, axis: int = 1, eps: float = 1e-08",
                        "x·y/(‖x‖·‖y‖) along `axis`, no length below `eps`.",
                        SimilarityLosses::cosineSimilarity),
                Builtin.function(
                        "cosine_embedding_loss",
                        "x: tensor, y: tensor, targets: tensor, margin: float = 0.0, " + Reduction.SLOT,
                        "Mean of 1 − cos(x, y) over the last axis where `targets` are 1, of max(0, cos(x, y) − margin) "
                                + "where they are −1.",
                        SimilarityLosses::cosineEmbedding),
                Builtin.function(
                        "triplet_margin_loss",
                        "anchor: tensor, positive: tensor, negative: tensor, margin: float = 1.0, p: float = 2.0, "
                                + "eps: float = 1e-06, swap: bool = false, " + Reduction.SLOT,
                        "Mean of max(0, ‖anchor − positive‖ − ‖anchor − negative‖ + margin) over the last axis; with "
                                + "`swap`, ‖positive − negative‖ counts where it is smaller (Balntas et al., 2016).",
                        SimilarityLosses::triplet),
                Builtin.function(
                        "margin_ranking_loss",
                        "x: tensor, y: tensor, targets: tensor, margin: float = 0.0, " + Reduction.SLOT,
                        "Mean of max(0, −targets·(x − y) + margin): `x` should be above `y` where `targets` are 1,"
                                + " below where they are −1.",
                        (args, out) -> {
                            Datum difference =
                                    tensor(Tensors.binary(Binary.Kind.SUB, args.any("x"), args.any("y"), out));
                            ValueId lead = Tensors.binary(Binary.Kind.MUL, args.any("targets"), difference, out);
                            return reduced(hinge(out.plus(out.neg(lead), args.real("margin")), out), args, out);
                        }),
                Builtin.function(
                        "hinge_embedding_loss",
                        "x: tensor, targets: tensor, margin: float = 1.0, " + Reduction.SLOT,
                        "Mean of the distance `x` where `targets` are 1, of max(0, margin − x) where they are −1.",
                        (args, out) -> {
                            List<ValueId> both =
                                    Tensors.aligned("hinge_embedding_loss", args.any("x"), args.any("targets"), out);
                            ValueId x = both.get(0);
                            ValueId apart = hinge(out.plus(out.neg(x), args.real("margin")), out);
                            return reduced(byTarget(both.get(1), x, apart, out), args, out);
                        }));
    }

    private static Datum reduced(ValueId losses, Arguments args, Emission out) {
        return tensor(Reduction.of(args).of(losses, out));
    }

    /** The positive part; the gradient passes at 0, as in PyTorch's losses. */
    private static ValueId hinge(ValueId x, Emission out) {
        return out.clamp(x, 0, Double.POSITIVE_INFINITY);
    }

    /** {@code alike} where the target is 1, {@code apart} where it is −1, 0 where it is anything else. */
    private static ValueId byTarget(ValueId targets, ValueId alike, ValueId apart, Emission out) {
        TensorType type = out.type(alike);
        ValueId negative = out.compare(Compare.Kind.EQ, targets, -1);
        ValueId other = out.select(negative, apart, out.filled(0, type));
        return out.select(out.compare(Compare.Kind.EQ, targets, 1), alike, other);
    }

    private static Datum cosineSimilarity(Arguments args, Emission out) {
        List<ValueId> both = Tensors.aligned("cosine_similarity", args.any("x"), args.any("y"), out);
        int axis = args.axis("axis", out.type(both.get(0)).rank());
        double eps = args.real("eps");
        ValueId lengths = out.mul(length(both.get(0), axis, eps, out), length(both.get(1), axis, eps, out));
        ValueId product = out.sum(out.mul(both.get(0), both.get(1)), List.of(axis));
        return tensor(Tensors.dropped(out.div(product, lengths), List.of(axis), out));
    }

    private static ValueId length(ValueId x, int axis, double least, Emission out) {
        return Norms.atLeast(least, Norms.of(x, 2, List.of(axis), out), out);
    }

    private static Datum cosineEmbedding(Arguments args, Emission out) {
        List<ValueId> both = Tensors.aligned("cosine_embedding_loss", args.any("x"), args.any("y"), out);
        ValueId x = both.get(0);
        ValueId y = both.get(1);
        int rank = vectors("cosine_embedding_loss", out.type(x));
        List<Integer> last = List.of(rank - 1);
        // Keeps vectors of zeros from having no direction.
        double eps = 1e-12;
        ValueId squares =
                out.mul(out.plus(out.sum(out.mul(x, x), last), eps), out.plus(out.sum(out.mul(y, y), last), eps));
        ValueId product = out.sum(out.mul(x, y), last);
        ValueId cosine = Tensors.dropped(out.div(product, out.unary(Unary.Kind.SQRT, squares)), last, out);
        ValueId targets = args.tensor("targets");
        TensorType type = out.type(cosine);
        if (!out.type(targets).shape().equals(type.shape())) {
            throw new SemanticError("E0301", "targets " + out.type(targets) + " do not have the shape " + type.shape());
        }
        ValueId alike = out.sub(out.filled(1, type), cosine);
        ValueId apart = hinge(out.plus(cosine, -args.real("margin")), out);
        return reduced(byTarget(targets, alike, apart, out), args, out);
    }

    private static Datum triplet(Arguments args, Emission out) {
        ValueId near = distance("anchor", "positive", args, out);
        ValueId far = distance("anchor", "negative", args, out);
        if (args.flag("swap")) {
            far = out.binary(Binary.Kind.MIN, far, distance("positive", "negative", args, out));
        }
        ValueId excess = Tensors.binary(Binary.Kind.SUB, tensor(near), tensor(far), out);
        return reduced(hinge(out.plus(excess, args.real("margin")), out), args, out);
    }

    private static ValueId distance(String from, String to, Arguments args, Emission out) {
        ValueId difference = Tensors.binary(Binary.Kind.SUB, args.any(from), args.any(to), out);
        List<Integer> last = List.of(vectors("triplet_margin_loss", out.type(difference)) - 1);
        ValueId distance = Norms.of(out.plus(difference, args.real("eps")), args.real("p"), last, out);
        return Tensors.dropped(distance, last, out);
    }

    private static int vectors(String name, TensorType type) {
        if (type.rank() == 0) {
            throw new SemanticError("E0301", name + " compares vectors along the last axis, and a scalar has none");
        }
        return type.rank();
    }
}
