package dev.remat.ir.op;

import static dev.remat.ir.op.BatchCase.ALIKE;
import static dev.remat.ir.op.BatchCase.FREE;
import static dev.remat.ir.op.BatchCase.MEAN;
import static dev.remat.ir.op.BatchCase.OWN;
import static dev.remat.ir.op.BatchCase.ROWS;
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
import static dev.remat.ir.op.BatchCase.seed;
import static dev.remat.ir.op.Types.bool;
import static dev.remat.ir.op.Types.dims;
import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.i64;
import static dev.remat.ir.op.Types.shape;

import dev.remat.ir.DType;
import dev.remat.ir.op.BatchCase.In;
import dev.remat.ir.op.BatchRole.Alike;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Operations that leave rows where they are or only rename elements. */
final class RowwiseBatchCases {
    private RowwiseBatchCases() {}

    static Stream<BatchCase> all() {
        return Stream.of(elementwise(), sources(), views()).flatMap(List::stream);
    }

    private static List<BatchCase> elementwise() {
        Op add = new Binary(Binary.Kind.ADD);
        Op mul = new Binary(Binary.Kind.MUL);
        Op div = new Binary(Binary.Kind.DIV);
        Op less = new Compare(Compare.Kind.LT);
        In integerMean = new In(MEAN, i64(3));
        List<BatchCase> cases = new ArrayList<>(List.of(
                gives(add, on(rows("B", 3), rows("B", 3)), ROWS),
                gives(add, on(rows(at(0, "T"), "B*T"), alike(0, "B*T")), at(0, "T")),
                gives(add, on(alike(0, "B*T"), alike(0, "B*T")), ALIKE),
                refuses(add, on(rows(at(0, "T"), "B*T"), rows("B*T")), "puts rows of the batch beside others of it"),
                gives(add, on(mean(3), free(3)), MEAN),
                gives(add, on(mean(3), mean(3)), MEAN),
                refuses(
                        add,
                        on(own(1, 3), free(1, 3)),
                        "reads statistics of the batch in another way than to normalize it"),
                gives(new Binary(Binary.Kind.SUB), on(free(3), mean(3)), MEAN),
                gives(mul, on(free(3), mean(3)), MEAN),
                refusesMean(mul, on(mean(3), mean(3)), "multiplies means over the batch with each other", 1),
                gives(div, on(mean(3), free(3)), MEAN),
                refusesMean(div, on(free(3), mean(3)), "divides by a mean over the batch", 1),
                refusesMean(div, on(mean(3), mean(3)), "divides by a mean over the batch", 1),
                gives(less, on(rows("B"), alike(0, "B")), ROWS),
                refusesMean(less, on(mean(3), free(3)), "compares a mean over the batch", 0),
                gives(new Select(), on(new In(FREE, bool(3)), mean(3), free(3)), MEAN),
                gives(new Select(), on(new In(ROWS, bool("B")), rows("B"), alike(0, "B")), ROWS),
                refuses(
                        new Select(),
                        on(new In(ROWS, bool("B*T")), rows(at(0, "T"), "B*T"), alike(0, "B*T")),
                        "puts rows of the batch beside others of it"),
                gives(new Cast(DType.BF16), on(mean(3)), MEAN),
                gives(new Cast(DType.F32), on(integerMean), MEAN),
                gives(new Cast(DType.I32), on(integerMean), MEAN),
                refusesMean(new Cast(DType.I64), on(mean(3)), "casts a mean over the batch to i64", 0),
                refusesMean(new Cast(DType.BOOL), on(integerMean), "casts a mean over the batch to bool", 0),
                gives(new Contiguous(), on(rows(at(1, "T"), 2, "B*T")), at(1, "T")),
                gives(new Contiguous(), on(mean(3)), MEAN),
                gives(new Clamp(0, 1), on(rows("B")), ROWS),
                refusesMean(new Clamp(0, 1), on(mean(3)), "applies clamp to a mean over the batch", 0),
                gives(new LeakyRelu(0.1), on(rows("B")), ROWS),
                refusesMean(new LeakyRelu(0.1), on(mean(3)), "applies leaky_relu to a mean over the batch", 0),
                gives(new Dropout(0.5, 0), on(rows(at(1, "1"), "T", "B"), seed()), at(1, "1"), FREE),
                gives(new Dropout(0.5, 0), on(alike(0, "B*T"), seed()), ROWS, FREE),
                gives(new Dropout(0.5, 0), on(mean(3), seed()), MEAN, FREE),
                refuses(
                        new Dropout(0.5, 0),
                        on(own(1, 3), seed()),
                        "reads statistics of the batch in another way than to normalize it")));
        for (Unary.Kind kind : Unary.Kind.values()) {
            Unary op = new Unary(kind);
            DType dtype = kind == Unary.Kind.NOT ? DType.BOOL : DType.F32;
            cases.add(gives(op, on(new In(ROWS, rows("B", 3).type().with(dtype))), ROWS));
            switch (kind) {
                case NOT -> {}
                case NEG -> cases.add(gives(op, on(mean(3)), MEAN));
                case SQRT, RSQRT ->
                    cases.add(refusesMean(op, on(mean(3)), "takes the root of a mean over the batch", 0));
                default -> {
                    String reason = "applies " + op.mnemonic() + " to a mean over the batch";
                    cases.add(refusesMean(op, on(mean(3)), reason, 0));
                }
            }
        }
        for (Binary.Kind kind : List.of(
                Binary.Kind.MIN,
                Binary.Kind.MAX,
                Binary.Kind.POW,
                Binary.Kind.FLOORDIV,
                Binary.Kind.REMAINDER,
                Binary.Kind.FMOD,
                Binary.Kind.ATAN2)) {
            Binary op = new Binary(kind);
            String reason = "applies " + op.mnemonic() + " to a mean over the batch";
            cases.add(gives(op, on(rows("B"), alike(0, "B")), ROWS));
            cases.add(refusesMean(op, on(free(3), mean(3)), reason, 1));
            cases.add(refusesMean(op, on(mean(3), free(3)), reason, 0));
        }
        return cases;
    }

    private static List<BatchCase> sources() {
        IndexMap byStep = new IndexMap(0, List.of(0L, 1L));
        IndexMap byRow = new IndexMap(0, List.of(4L, 1L));
        String pairs = "compares rows of the batch with each other";
        Draw drawn = new Draw(Draw.Kind.NORMAL, 0, 0, f32("T", "B", 3));
        return List.of(
                gives(new Constant(1, f32("T", "2*B")), on(), new Alike(1)),
                gives(new Constant(1, f32("T", 3)), on(), FREE),
                refuses(new Constant(1, f32("B", "B")), on(), pairs),
                refuses(new Constant(1, f32("B+1")), on(), "makes f32[B+1], which micro-batches do not share evenly"),
                gives(new Iota(0, 1, byStep, f32("B", 4)), on(), ALIKE),
                gives(new Iota(0, 1, IndexMap.ROW, f32("T")), on(), FREE),
                refuses(new Iota(0, 1, byRow, f32("B", 4)), on(), "numbers the rows of the batch"),
                gives(new Table(List.of(1.0, 2.0), IndexMap.ROW, f32(2)), on(), FREE),
                gives(drawn, on(seed()), at(1, "1"), FREE),
                gives(new Draw(Draw.Kind.UNIFORM, 0, 0, f32("T")), on(seed()), FREE, FREE),
                refuses(new Draw(Draw.Kind.UNIFORM, 0, 0, f32("B", "B")), on(seed()), pairs),
                gives(new StepSeed(), on(), FREE),
                gives(new ResetSeed(1), on(), FREE));
    }

    private static List<BatchCase> views() {
        String apart = "reshapes rows of the batch into others";
        String byNumber = "takes rows of the batch by their number";
        String bias = "combines rows of the batch with a mean over it";
        return List.of(
                gives(new Reshape(shape("B*T", 6)), on(rows("B", "T", 2, 3)), ROWS),
                gives(new Reshape(shape("B", "T", 6)), on(rows("B*T", 6)), ROWS),
                gives(new Reshape(shape("T*B", 6)), on(rows(at(1, "1"), "T", "B", 6)), at(0, "T")),
                gives(new Reshape(shape("T", "B", 6)), on(rows(at(0, "T"), "T*B", 6)), at(1, "1")),
                gives(new Reshape(shape(4, "4*B", 6)), on(rows(at(1, "1"), 16, "B", 6)), at(1, "4")),
                gives(new Reshape(shape("T+1", "B")), on(rows(at(0, "T+1"), "T*B+B")), at(1, "1")),
                gives(new Reshape(shape(2, "B", 3)), on(rows(at(0, "2"), "2*B", 3)), at(1, "1")),
                refuses(new Reshape(shape("B", "T")), on(rows(at(1, "1"), "T", "B")), apart),
                refuses(new Reshape(shape("T", "B")), on(rows("B", "T")), apart),
                refuses(new Reshape(shape("T", "B")), on(rows("T*B")), apart),
                gives(new Reshape(shape("B", 6)), on(alike(0, "B", 2, 3)), ALIKE),
                gives(new Reshape(shape("B*T")), on(alike(0, "B", "T")), ROWS),
                gives(new Reshape(shape()), on(mean(1, 1)), MEAN),
                gives(new Reshape(shape(3)), on(own(1, 3)), OWN),
                gives(new Transpose(List.of(1, 0, 2)), on(rows("B", "T", 3)), at(1, "1")),
                gives(new Transpose(List.of(2, 1, 0)), on(rows(at(0, "T"), "T*B", 1, 3)), at(2, "T")),
                gives(new Transpose(List.of(1, 0)), on(own(1, 3)), OWN),
                gives(new Broadcast(shape("B", 3)), on(free(1, 3)), ALIKE),
                gives(new Broadcast(shape(2, 3)), on(free(1, 3)), FREE),
                gives(new Broadcast(shape("B", 3)), on(rows("B", 1)), ROWS),
                gives(new Broadcast(shape(2, 3)), on(mean(1, 3)), MEAN),
                refusesMean(new Broadcast(shape("B", 3)), on(mean(1, 3)), bias, 0),
                refuses(
                        new Broadcast(shape("B", 3)),
                        on(own(1, 3)),
                        "reads statistics of the batch in another way than to normalize it"),
                refuses(new Broadcast(shape("B", "B")), on(rows("B", 1)), "compares rows of the batch with each other"),
                gives(new Slice(dims(0, 1), dims("B", 2)), on(rows("B", 3)), ROWS),
                gives(new Slice(dims("B*T"), dims("B*T")), on(rows(at(0, "2"), "2*B*T")), ROWS),
                gives(new Slice(dims("B"), dims("2*B")), on(rows(at(0, "3"), "3*B")), at(0, "2")),
                refuses(new Slice(dims("B"), dims("B")), on(rows("2*B")), byNumber),
                refuses(new Slice(dims(0), dims(3)), on(rows("B")), byNumber),
                refuses(
                        new Slice(dims("B"), dims(1)),
                        on(free("T")),
                        "takes elements by the number of rows of the batch"),
                gives(new Slice(dims(0, 0), dims(1, 3)), on(alike(0, "B", 3)), FREE),
                gives(new Slice(dims("B", 0), dims("B", 3)), on(alike(0, "2*B", 3)), ALIKE),
                refuses(
                        new Slice(dims(1), dims("B-1")),
                        on(alike(0, "B")),
                        "makes f32[B-1], which micro-batches do not share evenly"),
                gives(new Slice(dims(1), dims(2)), on(mean(3)), MEAN),
                gives(new StopGradient(), on(rows("B")), ROWS),
                gives(new StopGradient(), on(mean(3)), MEAN));
    }
}
