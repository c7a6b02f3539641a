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
import dev.remat.ir.op.IndexMap;
import dev.remat.ir.op.Iota;
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
                        "Share of the rows whose target is among the `top_k` largest logits, the first of equal ones"
                                + " before the others; to report, not to minimise.",
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

    /**
     * Whether fewer than {@code top_k} logits of a row come before that of its target, bools [N, 1]: the larger ones,
     * equal ones with a lower index, and what is no number.
     */
    private static ValueId isAmongLargest(Rows rows, ValueId targets, Arguments args, Emission out) {
        long most = args.integer("top_k");
        if (most < 1) {
            throw new SemanticError("E0306", "'top_k' must be positive, and is " + most);
        }
        Shape all = out.type(rows.scores()).shape();
        ValueId chosen = out.expand(rows.column(targets, out), all);
        TensorType line = new TensorType(out.type(targets).dtype(), new Shape(List.of(rows.classes(out))));
        ValueId classes = out.expand(out.apply(new Iota(0, 1, IndexMap.ROW, line)), all);
        Shape column = new Shape(List.of(all.dim(0), Dim.ONE));
        ValueId later = out.compare(Compare.Kind.GE, classes, out.expand(out.reshape(targets, column), all));
        ValueId equal = out.compare(Compare.Kind.EQ, rows.scores(), chosen);
        ValueId behind = out.binary(
                Binary.Kind.OR,
                out.compare(Compare.Kind.LT, rows.scores(), chosen),
                out.binary(Binary.Kind.AND, equal, later));
        TensorType counts = new TensorType(DType.I32, all);
        ValueId before = out.sum(out.select(behind, out.filled(0, counts), out.filled(1, counts)), List.of(1));
        return out.compare(Compare.Kind.LT, before, most);
    }
}
