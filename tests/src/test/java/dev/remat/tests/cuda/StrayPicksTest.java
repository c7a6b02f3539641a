package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.CrossEntropyGradient;
import dev.remat.ir.op.CtcLoss;
import dev.remat.ir.op.CtcLossGradient;
import dev.remat.ir.op.Embedding;
import dev.remat.ir.op.EmbeddingGradient;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.ScatterAdd;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.OpCase;
import dev.remat.tests.steps.StepSample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Kernels that pick by integers, given ones that pick outside: what is picked is NaN, sums leave it out, and neither
 * guard bytes around a buffer nor other elements change. The shim ends a kernel that reads outside of the arena.
 */
class StrayPicksTest {
    private static final int ROWS = 7;
    private static final int WIDTH = 3;
    private static final double[] PICKS = {
        2, -1, ROWS, Integer.MAX_VALUE, 6, Integer.MIN_VALUE, -100, 2, 0x1p40, -0x1p62
    };

    private static final StepSuite SUITE = new StepSuite();
    private static final List<Case> CASES =
            Stream.of(DType.I32, DType.I64).flatMap(StrayPicksTest::cases).toList();

    /** A step, and its results by hand. */
    private record Case(Op op, List<Tensor> operands, List<double[]> expected) {}

    private static Stream<Case> cases(DType dtype) {
        double[] picks = Arrays.stream(PICKS)
                .filter(pick -> dtype == DType.I64 || pick == (int) pick)
                .toArray();
        int count = picks.length;
        Tensor table = numbers(ROWS, WIDTH);
        Tensor upstream = numbers(count, WIDTH);
        double[] picked =
                elements(count, WIDTH, (i, c) -> isRow(picks[i]) ? table.data()[at(picks[i], c)] : Double.NaN);
        double[] sums = new double[ROWS * WIDTH];
        for (int i = 0; i < count; i++) {
            for (int c = 0; c < WIDTH && isRow(picks[i]); c++) {
                sums[at(picks[i], c)] += upstream.data()[at(i, c)];
            }
        }
        Tensor ids = Tensor.of(TensorType.of(dtype, count), picks);
        Tensor wide = Tensor.of(TensorType.of(dtype, count, WIDTH), elements(count, WIDTH, (i, c) -> picks[i]));
        Tensor logits = Tensor.zeros(TensorType.of(DType.F32, count, ROWS));
        double norm = Math.log(ROWS);
        Tensor norms = Tensor.filled(TensorType.of(DType.F32, count), norm);
        double[] slopes = elements(count, ROWS, (i, c) -> (1.0 / ROWS - (picks[i] == c ? 1 : 0)) / count);
        return Stream.concat(
                Stream.concat(labels(dtype, picks), Stream.of(inputLengths(dtype, picks), targetLengths(dtype, picks))),
                Stream.of(
                        new Case(new Embedding(), List.of(table, ids), List.of(picked)),
                        new Case(new Gather(0), List.of(table, wide), List.of(picked)),
                        new Case(new EmbeddingGradient(Dim.of(ROWS)), List.of(upstream, ids), List.of(sums)),
                        new Case(new ScatterAdd(0, Dim.of(ROWS)), List.of(upstream, wide), List.of(sums)),
                        new Case(
                                new CrossEntropy(0, -5),
                                List.of(logits, ids),
                                List.of(new double[] {Double.NaN}, norms.data())),
                        new Case(
                                new CrossEntropyGradient(new CrossEntropy(0, -5)),
                                List.of(Tensor.of(TensorType.scalar(DType.F32), 1), logits, ids, norms),
                                List.of(slopes))));
    }

    /** One label for two frames in which all is likely alike: it may stand in the first, the second, or both. */
    private static Stream<Case> labels(DType dtype, double... picks) {
        int count = picks.length;
        List<Tensor> operands = List.of(
                Tensor.zeros(TensorType.of(DType.F32, 2, count, ROWS)),
                Tensor.of(TensorType.of(dtype, count, 1), picks),
                Tensor.filled(TensorType.of(dtype, count), 2),
                Tensor.filled(TensorType.of(dtype, count), 1));
        List<Tensor> withSlopes = new ArrayList<>(List.of(Tensor.filled(TensorType.of(DType.F32, count), 3)));
        withSlopes.addAll(operands);
        double[] slopes = elements(2 * count, ROWS, (i, c) -> {
            double pick = picks[i % count];
            return isRow(pick) ? (pick == c ? -2 : c == 0 ? -1 : 0) : Double.NaN;
        });
        return Stream.of(
                new Case(
                        new CtcLoss(0, false),
                        operands,
                        List.of(elements(count, 1, (i, c) -> isRow(picks[i]) ? -Math.log(3) : Double.NaN))),
                new Case(new CtcLossGradient(new CtcLoss(0, true)), withSlopes, List.of(slopes)));
    }

    /** No label for as many frames as the picks say. */
    private static Case inputLengths(DType dtype, double... picks) {
        int count = picks.length;
        return new Case(
                new CtcLoss(0, false),
                List.of(
                        Tensor.filled(TensorType.of(DType.F32, ROWS - 1, count, 2), -1),
                        Tensor.zeros(TensorType.of(dtype, count, 1)),
                        Tensor.of(TensorType.of(dtype, count), picks),
                        Tensor.zeros(TensorType.of(dtype, count))),
                List.of(elements(count, 1, (i, c) -> isRow(picks[i]) ? picks[i] : Double.NaN)));
    }

    /** As many labels as the picks say for as many frames as there may be labels. */
    private static Case targetLengths(DType dtype, double... picks) {
        int count = picks.length;
        return new Case(
                new CtcLoss(0, false),
                List.of(
                        Tensor.zeros(TensorType.of(DType.F32, 6, count, ROWS)),
                        Tensor.of(TensorType.of(dtype, count, 6), elements(count, 6, (i, c) -> c + 1)),
                        Tensor.filled(TensorType.of(dtype, count), 6),
                        Tensor.of(TensorType.of(dtype, count), picks)),
                List.of(elements(
                        count, 1, (i, c) -> isRow(picks[i]) ? -Math.log(picks[i] == 6 ? 1 : 70) : Double.NaN)));
    }

    private static boolean isRow(double pick) {
        return pick >= 0 && pick < ROWS;
    }

    private static int at(double row, int column) {
        return ((int) row) * WIDTH + column;
    }

    private interface Element {
        double at(int row, int column);
    }

    private static double[] elements(int rows, int columns, Element element) {
        return IntStream.range(0, rows * columns)
                .mapToDouble(i -> element.at(i / columns, i % columns))
                .toArray();
    }

    private static Tensor numbers(int rows, int columns) {
        return Tensor.of(TensorType.of(DType.F32, rows, columns), elements(rows, columns, (r, c) -> 10 * r + c + 1));
    }

    @BeforeAll
    static void compileAllKernelsAtOnce() {
        List<OpCase> steps = CASES.stream()
                .map(each -> new OpCase(StepSample.of(each.op, each.operands), DType.F32, 1))
                .toList();
        SUITE.add(steps, Architecture.SM_80, CodegenOptions.DEFAULT, "default");
        SUITE.compile();
    }

    @Test
    void nothingOutsideIsReadOrWritten() {
        for (int i = 0; i < CASES.size(); i++) {
            Case sample = CASES.get(i);
            List<Tensor> results = SUITE.results(SUITE.entries().get(i));
            assertThat(results).hasSameSizeAs(sample.expected);
            for (int r = 0; r < results.size(); r++) {
                assertThat(results.get(r).data())
                        .as("%s, result %d", sample.op, r)
                        .usingComparatorWithPrecision(1e-6)
                        .containsExactly(sample.expected.get(r));
            }
        }
    }
}
