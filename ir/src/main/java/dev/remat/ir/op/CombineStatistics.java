package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.List;

/**
 * Joins the statistics of the micro-batches of a step to those of the whole batch (Chan, Golub and LeVeque, 1979):
 * {@code (mean so far, variance so far, mean, variance, micro-batch)}, the first four of one type, f32 or f64, the
 * micro-batch counting from 0 as an i64 scalar; to mean and variance of all samples up to and with the micro-batch.
 * Variances are biased, and all micro-batches have equally many samples.
 *
 * <p>Micro-batch 0 is taken as it is, whatever was there before. With {@code share = 1 / (k + 1)} in micro-batch
 * {@code k} and {@code delta = mean − mean so far}, the others leave {@code mean so far + share·delta} and {@code
 * variance so far + share·((variance − variance so far) + (k·share)·(delta·delta))}. Each operation is one of f64, in
 * this order and rounded by itself, and results are rounded to their dtype once, so every target gives the same bits.
 * The difference of the means is squared and not the means, so a large mean costs no digits of a small variance.
 */
public record CombineStatistics() implements MicroBatchUpdate {
    /** Of the micro-batch in the statistics up to and with it. */
    public static double share(long microBatch) {
        return 1.0 / (microBatch + 1);
    }

    @Override
    public String mnemonic() {
        return "combine_statistics";
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 5);
        TensorType mean = operands.getFirst();
        boolean wide = mean.dtype() == DType.F32 || mean.dtype() == DType.F64;
        require(wide, "combine_statistics takes statistics in f32 or f64, got %s", mean);
        Expect.same(this, mean, operands.get(1));
        Expect.same(this, mean, MicroBatchUpdate.piece(mean, operands.get(2)));
        Expect.same(this, operands.get(2), operands.get(3));
        Expect.microBatch(this, operands.get(4));
        return List.of(mean, mean);
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return 9 * operands.get(2).elements();
    }

    @Override
    public List<Write> writes() {
        return List.of(new Write(0, 0), new Write(1, 1));
    }
}
