package dev.remat.compiler.builtin.layer;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.ir.DType;
import dev.remat.ir.Shape;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Unary;
import java.util.List;

/** What is reported beside a loss. */
public final class Metrics {
    private Metrics() {}

    public static List<Builtin> table() {
        return List.of(
                Builtin.function(
                        "accuracy",
                        "logits: tensor, targets: tensor, top_k: int = 1, ignore_index: int = none",
                        "Share of the rows whose target is among the `top_k` largest logits; to report, not to "
                                + "minimise.",
                        Metrics::accuracy),
                Builtin.function(
                        "perplexity",
                        "logits: tensor, targets: tensor, ignore_index: int = -100",
                        "e to the cross entropy.",
                        (args, out) -> {
                            Rows rows = Rows.of("logits", args, out);
                            CrossEntropy op = new CrossEntropy(0, args.integer("ignore_index"));
                            return tensor(out.unary(Unary.Kind.EXP, out.apply(op, rows.scores(), rows.targets())));
                        }));
    }

    private static Datum accuracy(Arguments args, Emission out) {
        Rows rows = Rows.of("logits", args, out);
        if (!args.isGiven("ignore_index")) {
            ValueId right = isAmongLargest(rows, rows.targets(), args, out);
            return tensor(Tensors.total(Reduce.Kind.MEAN, out.cast(right, DType.F32), out));
        }
        ValueId kept = rows.kept(args.integer("ignore_index"), out);
        ValueId right = isAmongLargest(rows, rows.chosen(kept, out), args, out);
        ValueId weights = out.reshape(out.cast(kept, DType.F32), out.type(right).shape());
        return tensor(Reduction.MEAN.weighted(out.mul(out.cast(right, DType.F32), weights), weights, out));
    }

    /** Whether fewer than {@code top_k} logits of a row are larger than that of its target, bools [N, 1]. */
    private static ValueId isAmongLargest(Rows rows, ValueId targets, Arguments args, Emission out) {
        long most = args.integer("top_k");
        if (most < 1) {
            throw new SemanticError("E0306", "'top_k' must be positive, and is " + most);
        }
        ValueId chosen = rows.column(targets, out);
        if (most == 1) {
            ValueId largest = out.apply(new Reduce(Reduce.Kind.MAX, List.of(1)), rows.scores());
            return out.compare(Compare.Kind.GE, chosen, largest);
        }
        Shape all = out.type(rows.scores()).shape();
        ValueId larger = out.compare(Compare.Kind.GT, rows.scores(), out.expand(chosen, all));
        return out.compare(Compare.Kind.LT, out.sum(out.cast(larger, DType.I32), List.of(1)), most);
    }
}
