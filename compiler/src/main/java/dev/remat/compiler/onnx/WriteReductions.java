package dev.remat.compiler.onnx;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.CumulativeSum;
import dev.remat.ir.op.Embedding;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.ScatterAdd;
import dev.remat.ir.op.Sort;
import java.util.List;

/** What goes over an axis: sums and their like, orders, and picks by number. */
final class WriteReductions {
    private WriteReductions() {}

    static void reduce(Translated node, Reduce reduce) {
        DType to = node.resultType().dtype();
        String x = node.cast(node.operand(0), node.type(0).dtype(), to);
        node.result(node.reduce(
                switch (reduce.kind()) {
                    case SUM -> "ReduceSum";
                    case MEAN -> "ReduceMean";
                    case MAX -> "ReduceMax";
                    case MIN -> "ReduceMin";
                    case PROD -> "ReduceProd";
                },
                x,
                reduce.axes()));
    }

    /** Whoever normalizes by them may not need them. */
    static void statistics(Translated node, NormStatistics statistics) {
        DType to = node.resultType().dtype();
        List<Integer> axes = statistics.axes();
        if (!statistics.centered()) {
            node.resultLater(0, () -> {
                String x = node.cast(node.operand(0), node.type(0).dtype(), to);
                return node.reduce("ReduceMean", node.apply("Mul", x, x), axes);
            });
            return;
        }
        node.resultLater(
                0,
                () -> node.reduce(
                        "ReduceMean", node.cast(node.operand(0), node.type(0).dtype(), to), axes));
        node.resultLater(1, () -> {
            String x = node.cast(node.operand(0), node.type(0).dtype(), to);
            String mean = node.tensors().whole(node.node().results().getFirst());
            String distance = node.apply("Sub", x, mean);
            return node.reduce("ReduceMean", node.apply("Mul", distance, distance), axes);
        });
    }

    static void softmax(Translated node, boolean logarithm) {
        node.result(
                node.apply(logarithm ? "LogSoftmax" : "Softmax", List.of(node.operand(0)), Attribute.of("axis", -1)));
    }

    static void cumulativeSum(Translated node, CumulativeSum sum) {
        String axis = node.out().scalar(DType.I64, node.type(0).rank() - 1);
        node.result(node.apply("CumSum", List.of(node.operand(0), axis), Attribute.of("reverse", sum.reverse())));
    }

    static void sort(Translated node, Sort sort) {
        TensorType x = node.type(0);
        String count = node.extents().row(List.of(x.dim(x.rank() - 1)));
        List<String> sorted =
                node.applyAll("TopK", List.of(node.operand(0), count), 2, Attribute.of("largest", sort.descending()));
        node.result(sorted.getFirst());
        node.resultLater(1, () -> node.cast(sorted.get(1), DType.I64, DType.I32));
    }

    static void embedding(Translated node, Embedding embedding) {
        String rows = node.apply("Gather", List.of(node.operand(0), node.operand(1)), Attribute.of("axis", 0));
        DType table = node.type(0).dtype();
        node.result(embedding.rounded().map(to -> node.cast(rows, table, to)).orElse(rows));
    }

    static void gather(Translated node, int axis) {
        node.result(
                node.apply("GatherElements", List.of(node.operand(0), node.operand(1)), Attribute.of("axis", axis)));
    }

    static void scatterAdd(Translated node, ScatterAdd scatter) {
        String zeros = node.apply(
                "Expand",
                node.number(0, 0),
                node.extents().row(node.resultType().shape().dims()));
        node.result(node.apply(
                "ScatterElements",
                List.of(zeros, node.operand(1), node.operand(0)),
                Attribute.of("axis", scatter.axis()),
                Attribute.of("reduction", "add")));
    }

    static void crossEntropy(Translated node, CrossEntropy loss) {
        DType from = node.type(0).dtype();
        DType wide = from.accumulator();
        String logits = node.cast(node.operand(0), from, wide);
        String targets = node.operand(1);
        node.resultLater(
                1, () -> node.apply("Squeeze", node.reduce("ReduceLogSumExp", logits, List.of(1)), node.row(1)));
        if (loss.labelSmoothing() == 0) {
            node.result(node.apply(
                    "SoftmaxCrossEntropyLoss",
                    List.of(logits, targets),
                    Attribute.of("ignore_index", loss.ignoreIndex()),
                    Attribute.of("reduction", loss.perRow() ? "none" : "mean")));
            return;
        }
        String logs = node.apply("LogSoftmax", List.of(logits), Attribute.of("axis", -1));
        String ignored = node.apply("Equal", targets, node.number(1, loss.ignoreIndex()));
        String safe = node.apply("Where", ignored, node.number(1, 0), targets);
        String picked = node.apply(
                "GatherElements", List.of(logs, node.apply("Unsqueeze", safe, node.row(1))), Attribute.of("axis", 1));
        String all = node.reduce("ReduceMean", logs, List.of(1));
        picked = node.apply(
                "Add",
                node.apply("Mul", picked, node.out().scalar(wide, 1 - loss.labelSmoothing())),
                node.apply("Mul", all, node.out().scalar(wide, loss.labelSmoothing())));
        String rows = node.apply("Neg", node.apply("Squeeze", picked, node.row(1)));
        String counted = node.apply("Where", ignored, node.out().scalar(wide, 0), rows);
        if (loss.perRow()) {
            node.result(counted);
        } else {
            String count = node.cast(node.apply("Not", ignored), DType.BOOL, wide);
            String mean = node.apply(
                    "Div", node.reduce("ReduceSum", counted, List.of(0)), node.reduce("ReduceSum", count, List.of(0)));
            node.result(node.apply("Squeeze", mean, node.row(0)));
        }
    }
}
