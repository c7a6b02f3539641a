package dev.remat.compiler.builtin.layer;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Unary;
import java.util.List;
import java.util.stream.IntStream;

/** Losses and what is reported beside them; all are means over all elements. */
public final class LossFunctions {
    private LossFunctions() {}

    public static List<Builtin> table() {
        return List.of(
                Builtin.function(
                        "cross_entropy",
                        "logits: tensor, targets: tensor, label_smoothing: float = 0.0, ignore_index: int = -100",
                        "Mean negative log-likelihood of the integer `targets` [..] under softmax of `logits` "
                                + "[.., classes].",
                        LossFunctions::crossEntropy),
                Builtin.function("mse", "x: tensor, y: tensor", "Mean squared difference.", (args, out) -> {
                    ValueId difference = Tensors.binary(Binary.Kind.SUB, args.any("x"), args.any("y"), out);
                    return tensor(mean(out.mul(difference, difference), out));
                }),
                Builtin.function(
                        "bce_with_logits",
                        "logits: tensor, targets: tensor",
                        "Mean binary cross entropy of `targets` from 0 to 1 under sigmoid of `logits`.",
                        (args, out) -> {
                            ValueId x = args.tensor("logits");
                            ValueId likelihood =
                                    Tensors.binary(Binary.Kind.MUL, args.any("logits"), args.any("targets"), out);
                            return tensor(mean(out.sub(out.unary(Unary.Kind.SOFTPLUS, x), likelihood), out));
                        }),
                Builtin.function(
                        "accuracy",
                        "logits: tensor, targets: tensor",
                        "Share of the rows whose target has the largest logit; to report, not to minimise.",
                        LossFunctions::accuracy));
    }

    private static Datum crossEntropy(Arguments args, Emission out) {
        Rows rows = rows(args, out);
        CrossEntropy op = new CrossEntropy(args.real("label_smoothing"), args.integer("ignore_index"));
        return tensor(out.apply(op, rows.logits, rows.targets));
    }

    private static Datum accuracy(Arguments args, Emission out) {
        Rows rows = rows(args, out);
        Shape column = new Shape(List.of(out.type(rows.targets).dim(0), Dim.ONE));
        ValueId chosen = out.apply(new Gather(1), rows.logits, out.reshape(rows.targets, column));
        ValueId largest = out.apply(new Reduce(Reduce.Kind.MAX, List.of(1)), rows.logits);
        ValueId right = out.apply(new Compare(Compare.Kind.GE), chosen, largest);
        return tensor(mean(out.cast(right, DType.F32), out));
    }

    /** @param logits [N, classes] */
    private record Rows(ValueId logits, ValueId targets) {}

    private static Rows rows(Arguments args, Emission out) {
        ValueId logits = args.tensor("logits");
        ValueId targets = args.tensor("targets");
        TensorType type = out.type(logits);
        boolean fits = type.rank() > 0
                && out.type(targets).shape().dims().equals(type.shape().dims().subList(0, type.rank() - 1));
        if (!fits) {
            throw new SemanticError(
                    "E0301",
                    "targets " + out.type(targets) + " do not suit logits " + type,
                    "the classes are the last axis of the logits, and targets have the axes before it");
        }
        Dim classes = type.dim(type.rank() - 1);
        Dim count = out.type(targets).shape().elements();
        return new Rows(
                out.reshape(logits, new Shape(List.of(count, classes))),
                out.reshape(targets, new Shape(List.of(count))));
    }

    private static ValueId mean(ValueId x, Emission out) {
        List<Integer> axes = IntStream.range(0, out.type(x).rank()).boxed().toList();
        return out.reshape(out.apply(new Reduce(Reduce.Kind.MEAN, axes), x), Shape.SCALAR);
    }
}
