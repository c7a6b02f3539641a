package dev.remat.compiler.builtin.layer;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.CtcLoss;
import java.util.List;

/** Losses of sequences whose labels have no known place. */
public final class SequenceLosses {
    private SequenceLosses() {}

    public static List<Builtin> table() {
        return List.of(Builtin.function(
                "ctc_loss",
                "log_probabilities: tensor, targets: tensor, input_lengths: tensor, target_lengths: tensor, "
                        + "blank: int = 0, " + Reduction.SLOT + ", zero_infinity: bool = false",
                "−log of how likely the first `input_lengths` [N] frames of `log_probabilities` [T, N, classes] "
                        + "spell the first `target_lengths` [N] of the integer `targets` [N, S]: each label for a "
                        + "frame or more, `blank` between equal ones and anywhere else (Graves et al., 2006). The "
                        + "mean is of losses divided by their number of labels; where frames are too few the loss is "
                        + "infinite, or 0 without gradient if `zero_infinity`.",
                SequenceLosses::ctc));
    }

    private static Datum ctc(Arguments args, Emission out) {
        TensorType type = out.type(args.tensor("log_probabilities"));
        int blank = args.smallInteger("blank");
        if (blank < 0
                || type.rank() == 3
                        && type.dim(2).isConstant()
                        && blank >= type.dim(2).value()) {
            throw new SemanticError("E0306", "blank " + blank + " is no class of " + type);
        }
        Reduction reduction = Reduction.of(args);
        ValueId targets = args.tensor("targets");
        DType integers = out.type(targets).dtype();
        ValueId lengths = lengths("target_lengths", integers, args, out);
        ValueId losses = out.apply(
                new CtcLoss(blank, args.flag("zero_infinity")),
                args.tensor("log_probabilities"),
                targets,
                lengths("input_lengths", integers, args, out),
                lengths);
        if (reduction == Reduction.MEAN) {
            TensorType wide = out.type(losses);
            ValueId labels = out.clamp(out.cast(lengths, wide.dtype()), 1, Double.POSITIVE_INFINITY);
            losses = out.div(losses, labels);
        }
        return tensor(reduction.of(losses, out));
    }

    private static ValueId lengths(String name, DType integers, Arguments args, Emission out) {
        ValueId lengths = args.tensor(name);
        if (!out.type(lengths).dtype().isInteger() || !integers.isInteger()) {
            throw new SemanticError(
                    "E0301",
                    "ctc_loss wants targets and lengths of i32 or i64, got " + out.type(args.tensor("targets"))
                            + " and " + name + " " + out.type(lengths));
        }
        return out.cast(lengths, integers);
    }
}
