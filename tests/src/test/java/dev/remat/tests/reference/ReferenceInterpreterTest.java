package dev.remat.tests.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Accumulate;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionBiasGradient;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.Broadcast;
import dev.remat.ir.op.CombineStatistics;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.ConvGeometry;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.op.ElementwiseUpdate;
import dev.remat.ir.op.EmbeddingGradient;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.MaxPool2d;
import dev.remat.ir.op.MaxPool2dGradient;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.PoolWindow;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.ir.op.ScatterAdd;
import dev.remat.ir.op.Slice;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.op.Transpose;
import dev.remat.ir.op.Unary;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The oracle itself, against values worked out by hand. */
class ReferenceInterpreterTest {
    private static final double LOG3 = Math.log(3);

    private static Tensor f64(long[] extents, double... data) {
        return Tensor.of(TensorType.of(DType.F64, extents), data);
    }

    private static Tensor i64(long[] extents, double... data) {
        return Tensor.of(TensorType.of(DType.I64, extents), data);
    }

    private static long[] shape(long... extents) {
        return extents;
    }

    private static List<Tensor> run(Op op, Tensor... operands) {
        return new ReferenceInterpreter(Rounding.NONE, 42).apply(op, List.of(operands), 1);
    }

    private static double[] first(Op op, Tensor... operands) {
        return run(op, operands).getFirst().data();
    }

    private static void close(double[] actual, double... expected) {
        assertThat(actual).containsExactly(expected, within(1e-14));
    }

    @Test
    void matrixProducts() {
        Tensor a = f64(shape(2, 2), 1, 2, 3, 4);
        Tensor b = f64(shape(2, 2), 5, 6, 7, 8);
        close(first(new MatMul(false, false), a, b), 19, 22, 43, 50);
        close(first(new MatMul(false, true), a, b), 17, 23, 39, 53);
        close(first(new MatMul(true, false), a, b), 26, 30, 38, 44);
        close(first(new MatMul(true, true), a, b), 23, 31, 34, 46);
        Tensor rows = f64(shape(2, 1, 2), 1, 2, 3, 4);
        close(first(new MatMul(false, false), rows, b), 19, 22, 43, 50);
    }

    @Test
    void rearrangements() {
        Tensor x = f64(shape(2, 3), 1, 2, 3, 4, 5, 6);
        close(first(new Transpose(List.of(1, 0)), x), 1, 4, 2, 5, 3, 6);
        close(first(new Slice(dims(0, 1), dims(2, 2)), x), 2, 3, 5, 6);
        close(first(new Pad(dims(1, 0), dims(0, 1), 9), x), 9, 9, 9, 9, 1, 2, 3, 9, 4, 5, 6, 9);
        close(first(new Concat(1), x, f64(shape(2, 1), 7, 8)), 1, 2, 3, 7, 4, 5, 6, 8);
        close(first(new Broadcast(Shape.of(2, 2)), f64(shape(2, 1), 1, 2)), 1, 1, 2, 2);
        close(first(new Gather(1), x, i64(shape(2, 2), 2, 2, 0, 1)), 3, 3, 4, 5);
        close(first(new ScatterAdd(1, Dim.of(2)), x, i64(shape(2, 3), 0, 1, 0, 1, 1, 1)), 4, 2, 0, 15);
        close(first(new EmbeddingGradient(Dim.of(3)), x, i64(shape(2), 2, 2)), 0, 0, 0, 0, 0, 0, 5, 7, 9);
    }

    private static List<Dim> dims(long... values) {
        return Arrays.stream(values).mapToObj(Dim::of).toList();
    }

    @Test
    void reductions() {
        Tensor x = f64(shape(2, 3), 1, 2, 3, 4, 5, 9);
        close(first(new Reduce(Reduce.Kind.SUM, List.of(1)), x), 6, 18);
        close(first(new Reduce(Reduce.Kind.MEAN, List.of(0)), x), 2.5, 3.5, 6);
        close(first(new Reduce(Reduce.Kind.MAX, List.of(0, 1)), x), 9);
        assertThat(first(new Softmax(), f64(shape(1, 2), 1000, 1000 + LOG3)))
                .containsExactly(new double[] {0.25, 0.75}, within(1e-12));
    }

    @Test
    void convolutions() {
        Tensor x = f64(shape(1, 1, 3, 3), 1, 2, 3, 4, 5, 6, 7, 8, 9);
        Tensor w = f64(shape(1, 1, 2, 2), 1, 0, 0, -1);
        close(first(new Conv2d(new ConvGeometry(1, 1, 0, 0, 1, 1, 1)), x, w), -4, -4, -4, -4);
        close(first(new Conv2d(new ConvGeometry(1, 1, 0, 0, 2, 2, 1)), x, w), -8);
        close(first(new Conv2d(new ConvGeometry(2, 2, 1, 1, 1, 1, 1)), x, w), -1, -3, -7, -4);
        Tensor channels = f64(shape(1, 2, 1, 1), 3, 5);
        Tensor each = f64(shape(2, 1, 1, 1), 10, 100);
        close(first(new Conv2d(new ConvGeometry(1, 1, 0, 0, 1, 1, 2)), channels, each), 30, 500);
        Op spread = new ConvTranspose2d(new ConvGeometry(1, 1, 0, 0, 1, 1, 1), Dim.of(2), Dim.of(2));
        close(first(spread, f64(shape(1, 1, 1, 1), 3), w), 3, 0, 0, -3);
    }

    @Test
    void pools() {
        Tensor x = f64(shape(1, 1, 2, 2), 4, 4, 1, 4);
        PoolWindow whole = new PoolWindow(2, 2, 2, 2, 0, 0);
        close(first(new MaxPool2d(whole), x), 4);
        close(first(new MaxPool2dGradient(whole), f64(shape(1, 1, 1, 1), 7), x), 7, 0, 0, 0);
        PoolWindow padded = new PoolWindow(2, 2, 2, 2, 1, 1);
        close(first(new AvgPool2d(padded, true), x), 1, 1, 0.25, 1);
        close(first(new AvgPool2d(padded, false), x), 4, 4, 1, 4);
        PoolWindow partial = new PoolWindow(1, 3, 1, 1, 0, 0, true);
        close(first(new MaxPool2d(partial), f64(shape(1, 1, 1, 3), 1, 5, 3)), 5);
        PoolWindow last = new PoolWindow(1, 2, 1, 2, 0, 0, true);
        close(first(new MaxPool2d(last), f64(shape(1, 1, 1, 3), 1, 5, 3)), 5, 3);
        close(first(new AvgPool2d(last, false), f64(shape(1, 1, 1, 3), 1, 5, 3)), 3, 3);
    }

    @Test
    void normalization() {
        Tensor x = f64(shape(1, 2), 1, 5);
        List<Tensor> statistics = run(new NormStatistics(List.of(1), true), x);
        close(statistics.get(0).data(), 3);
        close(statistics.get(1).data(), 4);
        close(first(new NormStatistics(List.of(1), false), x), 13);
        Op op = new Normalize(List.of(1), 0, true, true, true);
        Tensor gamma = f64(shape(1, 2), 2, 3);
        Tensor beta = f64(shape(1, 2), 10, 20);
        close(first(op, x, statistics.get(0), statistics.get(1), gamma, beta), 8, 23);
        Tensor one = f64(shape(1), 1);
        Op update = new RunningStatistics(0.1, Dim.of(4));
        List<Tensor> running = run(update, one, one, f64(shape(1), 11), f64(shape(1), 3));
        close(running.get(0).data(), 2);
        close(running.get(1).data(), 1.3);
    }

    @Test
    void sumsOverMicroBatches() {
        Tensor nothing = f64(shape(2), Double.NaN, Double.NaN);
        Tensor value = f64(shape(2), 1, 2);
        close(first(new Accumulate(), nothing, value, i64(shape(), 0)), 1, 2);
        close(first(new Accumulate(), f64(shape(2), 10, 20), value, i64(shape(), 3)), 11, 22);
        Tensor mean = f64(shape(2), 1, 5);
        Tensor variance = f64(shape(2), 1, 0);
        List<Tensor> begun = run(new CombineStatistics(), nothing, nothing, mean, variance, i64(shape(), 0));
        close(begun.get(0).data(), 1, 5);
        close(begun.get(1).data(), 1, 0);
        // 0, 2 and 0, 2 before; 5, 5 twice before and then 8, 8: of these six the mean is 6 and the variance 2.
        Tensor next = f64(shape(2), 1, 8);
        List<Tensor> joined = run(new CombineStatistics(), mean, variance, next, variance, i64(shape(), 2));
        close(joined.get(0).data(), 1, 6);
        close(joined.get(1).data(), 1, 2);
    }

    @Test
    void losses() {
        Tensor logits = f64(shape(2, 2), 0, LOG3, 5, 6);
        List<Tensor> results = run(new CrossEntropy(0, -1), logits, i64(shape(2), 1, -1));
        close(results.get(0).data(), -Math.log(0.75));
        assertThat(results.get(1).data()[0]).isCloseTo(Math.log(4), within(1e-14));
        double smoothed = -(0.25 * Math.log(0.25) + 0.75 * Math.log(0.75));
        close(first(new CrossEntropy(0.5, -1), logits, i64(shape(2), 1, -1)), smoothed);
        close(first(new CrossEntropy(0.5, -1, true), logits, i64(shape(2), 1, -1)), smoothed, 0);
        assertThat(first(new CrossEntropy(0, 0), logits, i64(shape(2), 0, 0))).containsExactly(Double.NaN);
    }

    @Test
    void attention() {
        Tensor q = f64(shape(1, 1, 2, 1), 1, 1);
        Tensor k = f64(shape(1, 1, 2, 1), 0, LOG3 * 2);
        Tensor v = f64(shape(1, 1, 2, 1), 4, 8);
        List<Tensor> plain = run(new Attention(0.5, false, false), q, k, v);
        close(plain.get(0).data(), 7, 7);
        close(plain.get(1).data(), Math.log(4), Math.log(4));
        close(first(new Attention(0.5, true, false), q, k, v), 4, 7);
        Tensor mask = Tensor.of(TensorType.of(DType.BOOL, 1, 1, 2, 2), 0, 1, 0, 0);
        List<Tensor> masked = run(new Attention(0.5, false, true), q, k, v, mask);
        close(masked.get(0).data(), 8, 0);
        assertThat(masked.get(1).data()[1]).isEqualTo(Double.NEGATIVE_INFINITY);
    }

    @Test
    void attentionWithABias() {
        Tensor q = f64(shape(1, 2, 1, 1), 1, 1);
        Tensor k = f64(shape(1, 1, 2, 1), 0, LOG3 * 2);
        Tensor v = f64(shape(1, 1, 2, 1), 4, 8);
        double hidden = Double.NEGATIVE_INFINITY;
        Attention op = new Attention(0.5, false, false, true);
        // Scores of 0 and log 3 for both heads, which share keys and values; the first head evens them out.
        close(first(op, q, k, v, f64(shape(1, 2, 1, 2), LOG3, 0, 0, hidden)), 6, 4);
        List<Tensor> results = run(op, q, k, v, f64(shape(1, 2, 1, 1), 5, hidden));
        close(results.get(0).data(), 7, 0);
        assertThat(results.get(1).data()[0]).isCloseTo(Math.log(4) + 5, within(1e-14));
        assertThat(results.get(1).data()[1]).isEqualTo(hidden);
        // Slopes are p·(v − o) for a gradient of 1: ¼·(4 − 7) and ¾·(8 − 7).
        Tensor bias = f64(shape(1, 1, 1, 2), 0, 0);
        List<Tensor> forward = run(op, q, k, v, bias);
        List<Tensor> operands = new ArrayList<>(List.of(f64(shape(1, 2, 1, 1), 1, 2), q, k, v));
        operands.addAll(forward);
        operands.add(bias);
        Tensor[] all = operands.toArray(Tensor[]::new);
        close(first(new AttentionBiasGradient(op), all), -2.25, 2.25);
        List<Tensor> others = run(new AttentionGradient(op), all);
        close(others.get(0).data(), 0.75 * LOG3, 1.5 * LOG3);
        close(others.get(1).data(), -1.125, 1.125);
        close(others.get(2).data(), 0.75, 2.25);
    }

    @Test
    void optimizers() {
        Op descent = ElementwiseUpdate.of("test", 0, "[mul g x2, sub p t0]", "[t1]");
        Tensor parameter = f64(shape(2, 1), 1, 3);
        Tensor gradient = f64(shape(2, 1), 2, 4);
        close(first(descent, parameter, gradient, f64(shape(), 0.5)), 0, 1);
        close(first(descent, parameter, gradient, f64(shape(1, 1), 0.25)), 0.5, 2);

        Op signs = ElementwiseUpdate.of("test", 1, "[max x2 g, gt t0 3.0, where t1 x3 -1.0, add p t2]", "[t3, t0]");
        List<Tensor> results = run(signs, parameter, gradient, f64(shape(2, 1), 3, 1), f64(shape(), 7));
        close(results.get(0).data(), 0, 10);
        close(results.get(1).data(), 3, 4);
    }

    @Test
    void functions() {
        Tensor x = f64(shape(2), 1, -30);
        close(first(new Unary(Unary.Kind.GELU), x), 0.8413447460685429, 0);
        close(first(new Unary(Unary.Kind.SOFTPLUS), f64(shape(1), 800)), 800);
        close(first(new Unary(Unary.Kind.SILU), f64(shape(1), LOG3)), 0.75 * LOG3);
    }

    @Test
    void dropoutDrawsWithItsSeed() {
        Tensor ones = Tensor.filled(TensorType.of(DType.F64, 4000), 1);
        Tensor seed = Tensor.of(TensorType.SEED, 5);
        List<Tensor> results = run(new Dropout(0.25, 5), ones, seed);
        double[] kept = results.getFirst().data();
        assertThat(Arrays.stream(kept).boxed()).containsOnly(0.0, 4.0 / 3);
        // Four standard deviations of the mean of 4000 draws: 4·√(0.25·0.75/4000)·4/3 = 0.037.
        assertThat(Arrays.stream(kept).average().orElseThrow()).isCloseTo(1, within(0.037));
        assertThat(results.get(1).scalar()).isEqualTo(6);
        assertThat(first(new Dropout(0.25, 5), ones, seed)).containsExactly(kept);
        assertThat(first(new Dropout(0.25, 5), ones, Tensor.of(TensorType.SEED, 6)))
                .isNotEqualTo(kept);
        assertThat(new ReferenceInterpreter(Rounding.NONE, 42)
                        .apply(new Dropout(0.25, 5), List.of(ones, seed), 2)
                        .getFirst()
                        .data())
                .isNotEqualTo(kept);
    }
}
