package dev.remat.ir.op;

import static dev.remat.ir.op.BatchCase.ALIKE;
import static dev.remat.ir.op.BatchCase.FREE;
import static dev.remat.ir.op.BatchCase.MEAN;
import static dev.remat.ir.op.BatchCase.OWN;
import static dev.remat.ir.op.BatchCase.ROWS;
import static dev.remat.ir.op.BatchCase.SUM;
import static dev.remat.ir.op.BatchCase.alike;
import static dev.remat.ir.op.BatchCase.at;
import static dev.remat.ir.op.BatchCase.free;
import static dev.remat.ir.op.BatchCase.gives;
import static dev.remat.ir.op.BatchCase.mean;
import static dev.remat.ir.op.BatchCase.on;
import static dev.remat.ir.op.BatchCase.own;
import static dev.remat.ir.op.BatchCase.refuses;
import static dev.remat.ir.op.BatchCase.refusesMean;
import static dev.remat.ir.op.BatchCase.rows;
import static dev.remat.ir.op.Types.bool;
import static dev.remat.ir.op.Types.dims;
import static dev.remat.ir.op.Types.i64;

import dev.remat.ir.Dim;
import dev.remat.ir.op.BatchCase.In;
import dev.remat.ir.op.BatchRole.Alike;
import java.util.List;
import java.util.stream.Stream;

/** Operations that bring elements of several places together. */
final class MixingBatchCases {
    private static final String PAIRS = "compares rows of the batch with each other";
    private static final String BESIDE = "puts rows of the batch beside others of it";
    private static final String MEAN_BESIDE = "combines rows of the batch with a mean over it";
    private static final String STATISTICS = "reads statistics of the batch in another way than to normalize it";

    private MixingBatchCases() {}

    static Stream<BatchCase> all() {
        return Stream.of(arrangements(), products(), images(), reductions(), byRow(), lookups(), losses())
                .flatMap(List::stream);
    }

    private static In ids(BatchRole role, Object... extents) {
        return new In(role, i64(extents));
    }

    private static List<BatchCase> arrangements() {
        Op rows = new Concat(0);
        Op columns = new Concat(1);
        String behind = "puts something else behind rows of the batch";
        return List.of(
                gives(rows, on(rows("B", 3), rows("B", 3)), at(0, "2")),
                gives(rows, on(rows("B*T"), rows(at(0, "2"), "2*B*T")), at(0, "3")),
                gives(rows, on(rows("B*T"), alike(0, "B*T")), at(0, "2")),
                gives(rows, on(alike(0, "B*T"), alike(0, "B*T")), at(0, "2")),
                gives(rows, on(alike(0, "B"), alike(0, "2*B")), at(0, "3")),
                refuses(rows, on(rows("B*T"), rows("B")), behind),
                refuses(rows, on(rows("B*T"), rows(at(0, "T"), "B*T")), behind),
                refuses(rows, on(rows("B", 3), free(1, 3)), behind),
                refuses(rows, on(mean(1, 3), rows("B", 3)), behind),
                gives(columns, on(rows("B", 3), alike(0, "B", 1), rows("B", 2)), ROWS),
                refuses(columns, on(rows(at(0, "T"), "B*T", 3), rows("B*T", 1)), BESIDE),
                gives(columns, on(mean(2, 3), free(2, 1)), MEAN),
                gives(new Pad(dims(0, 1), dims(0, "T"), 0.5), on(rows("B", 3)), ROWS),
                gives(new Pad(dims(1, 1), dims(0, 2), 0.5), on(mean(2, 3)), MEAN),
                refuses(new Pad(dims(1, 0), dims(0, 0), 0.5), on(rows("B", 3)), "pads the batch"));
    }

    private static List<BatchCase> products() {
        MatMul plain = new MatMul(false, false);
        MatMul left = new MatMul(true, false);
        MatMul right = new MatMul(false, true);
        return List.of(
                gives(plain, on(rows("B", 3), free(3, 4)), ROWS),
                gives(plain, on(rows(at(0, "T"), "B*T", 3), free(3, 4)), at(0, "T")),
                gives(plain, on(rows("B", "T", 3), free(3, 4)), ROWS),
                gives(plain, on(rows(at(1, "1"), "T", "B", 3), free(3, 4)), at(1, "1")),
                gives(plain, on(rows("B", 2, 3), alike(0, "B", 3, 4)), ROWS),
                gives(plain, on(alike(0, "B", 3), free(3, 4)), ALIKE),
                gives(left, on(rows(at(1, "1"), 3, "B"), free(3, 4)), ROWS),
                gives(left, on(rows(at(2, "1"), 2, 3, "B"), free(2, 3, 4)), at(1, "1")),
                gives(plain, on(free(4, 3), rows(at(1, "1"), 3, "B")), at(1, "1")),
                gives(right, on(free(2, 4, 3), rows("B", 3)), at(2, "1")),
                gives(left, on(rows("B", 3), rows("B", 4)), SUM),
                gives(plain, on(rows(at(1, "1"), 3, "B"), alike(0, "B", 4)), SUM),
                refuses(left, on(rows(at(0, "T"), "B*T", 3), rows("B*T", 4)), BESIDE),
                refuses(right, on(rows("B", 3), rows("B", 3)), PAIRS),
                refuses(plain, on(rows("B", 3), rows(at(1, "1"), 3, "B")), PAIRS),
                gives(plain, on(mean(2, 3), free(3, 4)), MEAN),
                gives(plain, on(free(2, 3), mean(3, 4)), MEAN),
                refusesMean(plain, on(mean(2, 3), mean(3, 4)), "multiplies means over the batch with each other", 1),
                refusesMean(plain, on(rows("B", 3), mean(3, 4)), MEAN_BESIDE, 1),
                refuses(plain, on(own(1, 3), free(3, 4)), STATISTICS));
    }

    private static List<BatchCase> images() {
        Op conv = new Conv2d(new ConvGeometry(1, 1, 1, 1, 1, 1, 1));
        Op transposed = new ConvTranspose2d(new ConvGeometry(1, 1, 1, 1, 1, 1, 1), Dim.of(5), Dim.of(4));
        PoolWindow window = new PoolWindow(2, 2, 2, 2, 0, 0);
        Op max = new MaxPool2d(window);
        Op average = new AvgPool2d(window, true);
        In filters = free(6, 3, 3, 3);
        return List.of(
                gives(conv, on(rows(at(0, "2"), "2*B", 3, 5, 4), filters), at(0, "2")),
                gives(
                        new Conv2d(new ConvGeometry(1, 1, 1, 1, 1, 1, 1), true),
                        on(rows("B", 3, 5, 4), filters),
                        ROWS,
                        OWN,
                        OWN),
                gives(conv, on(mean(2, 3, 5, 4), filters), MEAN),
                refusesMean(conv, on(rows("B", 3, 5, 4), mean(6, 3, 3, 3)), MEAN_BESIDE, 1),
                refuses(conv, on(rows(at(2, "1"), 1, 3, "B", 4), filters), "convolves along the batch"),
                refuses(conv, on(free(1, 3, 5, 4), rows("B", 3, 3, 3)), "has filters for each row of the batch"),
                gives(transposed, on(rows("B", 6, 5, 4), filters), ROWS),
                refuses(
                        transposed,
                        on(rows(at(1, "1"), 1, "B", 5, 4), rows("B", 3, 3, 3)),
                        "convolves along the batch"),
                gives(max, on(rows("B", 3, 4, 4)), ROWS),
                gives(max, on(rows(at(1, "1"), 3, "B", 4, 4)), at(1, "1")),
                refuses(max, on(rows(at(2, "1"), 3, 3, "4*B", 4)), "takes the maximum over the batch"),
                refusesMean(max, on(mean(2, 3, 4, 4)), "takes the maximum of a mean over the batch", 0),
                gives(average, on(rows("B", 3, 4, 4)), ROWS),
                gives(average, on(mean(2, 3, 4, 4)), MEAN),
                refuses(average, on(rows(at(3, "1"), 3, 3, 4, "4*B")), "takes the mean of neighbours in the batch"));
    }

    private static List<BatchCase> reductions() {
        Op sum = new Reduce(Reduce.Kind.SUM, List.of(0, 1));
        Op inner = new Reduce(Reduce.Kind.SUM, List.of(1));
        Op max = new Reduce(Reduce.Kind.MAX, List.of(0));
        Op min = new Reduce(Reduce.Kind.MIN, List.of(1));
        Op statistics = new NormStatistics(List.of(0, 2), true);
        Op layer = new NormStatistics(List.of(2), false);
        return List.of(
                gives(sum, on(rows(at(0, "T"), "T*B", 3)), SUM),
                gives(sum, on(alike(0, "B", 3)), SUM),
                gives(sum, on(ids(ROWS, "B", 3)), SUM),
                gives(sum, on(mean(2, 3)), MEAN),
                refuses(sum, on(own(1, 3)), STATISTICS),
                gives(inner, on(rows("B", 3)), ROWS),
                gives(inner, on(alike(0, "B", 3)), ALIKE),
                gives(new Reduce(Reduce.Kind.MEAN, List.of(0)), on(rows("B", 3)), MEAN),
                gives(min, on(rows("B", 3)), ROWS),
                refuses(max, on(rows("B", 3)), "takes the maximum over the batch"),
                refuses(new Reduce(Reduce.Kind.MIN, List.of(0)), on(rows("B")), "takes the minimum over the batch"),
                refuses(new Reduce(Reduce.Kind.PROD, List.of(0)), on(rows("B")), "takes the product over the batch"),
                refusesMean(min, on(mean(2, 3)), "takes the minimum of a mean over the batch", 0),
                gives(statistics, on(rows("B", 3, 4)), OWN, OWN),
                gives(layer, on(rows("B", 3, 4)), ROWS),
                gives(layer, on(free(2, 3, 4)), FREE),
                refusesMean(layer, on(mean(2, 3, 4)), "takes the variance of a mean over the batch", 0));
    }

    private static List<BatchCase> byRow() {
        Op normalize = new Normalize(List.of(0, 2), 1e-5, true, true, true);
        Op layer = new Normalize(List.of(1), 1e-5, false, false, false);
        Op last = new Softmax();
        Op running = new RunningStatistics(0.1, Dim.symbol("B"));
        return List.of(
                gives(normalize, on(rows("B", 3, 4), own(1, 3, 1), own(1, 3, 1), free(1, 3, 1), free(1, 3, 1)), ROWS),
                gives(
                        normalize,
                        on(alike(0, "B", 3, 4), own(1, 3, 1), own(1, 3, 1), free(1, 3, 1), free(1, 3, 1)),
                        ROWS),
                gives(normalize, on(rows("B", 3, 4), free(1, 3, 1), free(1, 3, 1), free(1, 3, 1), free(1, 3, 1)), ROWS),
                refusesMean(
                        normalize,
                        on(rows("B", 3, 4), mean(1, 3, 1), free(1, 3, 1), free(1, 3, 1), free(1, 3, 1)),
                        "normalizes by a mean over the batch",
                        1),
                refuses(
                        normalize,
                        on(rows("B", 3, 4), own(1, 3, 1), own(1, 3, 1), own(1, 3, 1), free(1, 3, 1)),
                        STATISTICS),
                gives(layer, on(rows("B", 4), rows("B", 1)), ROWS),
                refuses(layer, on(free(2, 4), own(2, 1)), STATISTICS),
                refuses(layer, on(rows(at(0, "T"), "B*T", 4), rows("B*T", 1)), BESIDE),
                gives(running, on(free(3), free(3), own(3), own(3)), FREE, FREE),
                refuses(
                        running,
                        on(rows("B"), rows("B"), rows("B"), rows("B")),
                        "keeps statistics of each row of the batch"),
                refuses(running, on(own(3), free(3), own(3), own(3)), STATISTICS),
                refusesMean(
                        running, on(free(3), free(3), mean(3), mean(3)), "keeps means over the batch as statistics", 3),
                gives(last, on(rows("B", 3)), ROWS),
                refuses(last, on(rows(at(1, "1"), 3, "B")), "takes the softmax over the batch"),
                refusesMean(last, on(mean(3)), "takes the softmax of a mean over the batch", 0),
                gives(new Sort(false), on(rows("B", 3)), ROWS, ROWS),
                refuses(new Sort(true), on(rows("B")), "sorts along the batch"),
                refusesMean(new Sort(true), on(mean(3)), "sorts means over the batch", 0),
                gives(new CumulativeSum(false), on(rows("B", 3)), ROWS),
                gives(new CumulativeSum(false), on(mean(3)), MEAN),
                refuses(new CumulativeSum(true), on(rows("B")), "adds up along the batch"),
                refuses(new CumulativeSum(true), on(alike(0, "B")), "numbers the rows of the batch"));
    }

    private static List<BatchCase> lookups() {
        Op embedding = new Embedding();
        Op first = new Gather(0);
        Op second = new Gather(1);
        Op scatter = new ScatterAdd(0, Dim.of(5));
        return List.of(
                gives(embedding, on(free(7, 4), ids(at(1, "1"), "T", "B")), at(1, "1")),
                gives(embedding, on(mean(7, 4), ids(FREE, "T")), MEAN),
                gives(embedding, on(rows(at(1, "4"), 7, "4*B"), ids(FREE, 2, 3)), at(2, "4")),
                refuses(embedding, on(rows(at(1, "1"), 7, "B"), ids(ROWS, "B")), PAIRS),
                refuses(embedding, on(rows("B", 4), ids(ROWS, "B")), "looks up rows of the batch by their number"),
                refusesMean(embedding, on(mean(7, 4), ids(ROWS, "B")), MEAN_BESIDE, 0),
                refusesMean(embedding, on(free(7, 4), ids(MEAN, 3)), "looks up means over the batch", 1),
                gives(second, on(rows("B", 7), ids(ROWS, "B", 2)), ROWS),
                gives(first, on(free(7, 4), ids(ROWS, "B", 4)), ROWS),
                gives(first, on(mean(7, 4), ids(FREE, 3, 4)), MEAN),
                refuses(first, on(rows("B", 4), ids(ROWS, "B", 4)), "picks rows of the batch by their number"),
                refuses(second, on(rows(at(0, "T"), "B*T", 7), ids(ROWS, "B*T", 2)), BESIDE),
                refusesMean(first, on(free(7, 4), ids(MEAN, 3, 4)), "picks by means over the batch", 1),
                gives(scatter, on(rows("B", 4), ids(ROWS, "B", 4)), SUM),
                gives(scatter, on(rows(at(1, "1"), 3, "B"), ids(at(1, "1"), 3, "B")), at(1, "1")),
                gives(scatter, on(mean(3, 4), ids(FREE, 3, 4)), MEAN),
                refusesMean(scatter, on(free(3, 4), ids(MEAN, 3, 4)), "adds up by means over the batch", 1),
                refuses(scatter, on(rows("B*T", 4), ids(at(0, "T"), "B*T", 4)), BESIDE),
                refuses(
                        new ScatterAdd(0, Dim.symbol("B")),
                        on(rows("B", 4), ids(ROWS, "B", 4)),
                        "adds up by the number of a row of the batch"));
    }

    private static List<BatchCase> losses() {
        Op attention = new Attention(0.5, true, true, true);
        In mask = new In(FREE, bool(1, 1, "T", "T"));
        In q = rows("B", 2, "T", 4);
        In free = free(1, 2, "T", 4);
        In one = new In(FREE, bool(1, 1, 1, 1));
        In heads = rows(at(1, "2"), 1, "2*B", "T", 4);
        In fewer = rows(at(1, "1"), 1, "B", "T", 4);
        In queries = rows(at(2, "1"), 1, 2, "B", 4);
        Op entropy = new CrossEntropy(0, -100, true);
        Op ctc = new CtcLoss(0, false);
        return List.of(
                gives(attention, on(q, q, q, mask, rows("B", 1, 1, "T")), ROWS, ROWS),
                gives(attention, on(q, alike(0, "B", 2, "T", 4), q, mask, free(1, 2, "T", "T")), ROWS, ROWS),
                gives(attention, on(heads, heads, heads, mask, free(1, 1, 1, 1)), at(1, "2"), at(1, "2")),
                refuses(
                        attention,
                        on(heads, fewer, fewer, mask, free(1, 1, 1, 1)),
                        "attends to other rows of the batch"),
                refuses(
                        attention,
                        on(queries, queries, queries, one, free(1, 1, 1, 1)),
                        "attends to other rows of the batch"),
                refusesMean(attention, on(q, q, q, mask, mean(1, 1, 1, "T")), "attends by a mean over the batch", 4),
                refusesMean(
                        attention,
                        on(free, free, mean(1, 2, "T", 4), mask, free(1, 1, 1, 1)),
                        "attends by a mean over the batch",
                        2),
                gives(entropy, on(rows(at(0, "T"), "B*T", 9), ids(at(0, "T"), "B*T")), at(0, "T"), at(0, "T")),
                refuses(entropy, on(rows("B*T", 9), ids(at(0, "T"), "B*T")), BESIDE),
                refuses(entropy, on(rows(at(1, "1"), 3, "B"), ids(FREE, 3)), "takes the softmax over the batch"),
                refusesMean(
                        entropy, on(mean(3, 9), ids(FREE, 3)), "takes the cross-entropy of a mean over the batch", 0),
                gives(new CrossEntropy(0, -100), on(free(3, 9), ids(FREE, 3)), FREE, FREE),
                gives(
                        ctc,
                        on(
                                rows(at(1, "2"), "T", "2*B", 5),
                                ids(at(0, "2"), "2*B", 3),
                                ids(at(0, "2"), "2*B"),
                                ids(new Alike(0), "2*B")),
                        at(0, "2")),
                refuses(
                        ctc,
                        on(rows(at(1, "2"), "T", "2*B", 5), ids(ROWS, "2*B", 3), ids(ROWS, "2*B"), ids(ROWS, "2*B")),
                        BESIDE),
                refuses(ctc, on(rows("B", 3, 5), ids(FREE, 3, 2), ids(FREE, 3), ids(FREE, 3)), PAIRS),
                refusesMean(
                        ctc,
                        on(mean("T", 3, 5), ids(FREE, 3, 2), ids(FREE, 3), ids(FREE, 3)),
                        "takes the likelihood of a mean over the batch",
                        0));
    }
}
