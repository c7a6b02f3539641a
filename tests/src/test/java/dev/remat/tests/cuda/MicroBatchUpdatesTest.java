package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Accumulate;
import dev.remat.ir.op.CombineStatistics;
import dev.remat.ir.op.Op;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.tests.cuda.StepSuite.Entry;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.OpCase;
import dev.remat.tests.steps.SingleStep;
import dev.remat.tests.steps.StepSample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Sums and statistics over micro-batches have the same bits on every target, and no digits too few. */
class MicroBatchUpdatesTest {
    private static final StepSuite SUITE = new StepSuite();

    @BeforeAll
    static void compileAllKernelsAtOnce() {
        SUITE.add(cases(), Architecture.SM_80, CodegenOptions.DEFAULT, "default");
        SUITE.compile();
    }

    /** Sizes with and without a rest, below and above what a thread or a task of the CPU takes. */
    private static List<OpCase> cases() {
        Random random = new Random(1);
        List<OpCase> cases = new ArrayList<>();
        for (DType dtype : List.of(DType.F32, DType.F64, DType.I32, DType.I64)) {
            for (long elements : new long[] {1, 3, 1024, 40_003}) {
                for (int microBatch : new int[] {0, 1, 7}) {
                    cases.add(sample(
                            new Accumulate(),
                            random(random, dtype, elements),
                            random(random, dtype, elements),
                            number(microBatch)));
                }
            }
        }
        for (DType dtype : List.of(DType.F32, DType.F64)) {
            for (int microBatch : new int[] {0, 1, 2, 7, 1000}) {
                cases.add(sample(
                        new CombineStatistics(),
                        random(random, dtype, 300),
                        random(random, dtype, 300),
                        random(random, dtype, 300),
                        random(random, dtype, 300),
                        number(microBatch)));
            }
        }
        return cases;
    }

    private static Tensor number(int microBatch) {
        return Tensor.of(TensorType.scalar(DType.I64), microBatch);
    }

    /** Numbers of all sizes, which sums must round. */
    private static Tensor random(Random random, DType dtype, long elements) {
        Tensor tensor = Tensor.zeros(TensorType.of(dtype, elements));
        Arrays.setAll(tensor.data(), i -> {
            double value = random.nextGaussian() * Math.exp(3 * random.nextGaussian());
            return dtype.isFloat() ? dtype == DType.F32 ? (float) value : value : Math.rint(1000 * value);
        });
        return tensor;
    }

    private static OpCase sample(Op op, Tensor... operands) {
        return new OpCase(
                StepSample.of(op, List.of(operands)), operands[0].type().dtype(), 1);
    }

    private static List<Tensor> onCpu(StepSample sample, int threads) {
        SingleStep step = SingleStep.of(sample, new CpuTarget());
        try (CpuExecutable executable = new CpuExecutable(step.plan(), new CpuExecutable.Options(threads, false))) {
            return step.run(executable);
        }
    }

    static List<Entry> entries() {
        return SUITE.entries();
    }

    @ParameterizedTest
    @MethodSource("entries")
    void haveTheSameBitsEverywhere(Entry entry) {
        List<Tensor> expected = onCpu(entry.sample().sample(), 1);
        expectSame(onCpu(entry.sample().sample(), 3), expected);
        expectSame(SUITE.results(entry), expected);
        entry.sample().check(expected);
    }

    private static void expectSame(List<Tensor> actual, List<Tensor> expected) {
        for (int r = 0; r < expected.size(); r++) {
            assertThat(actual.get(r).data()).isEqualTo(expected.get(r).data());
        }
    }

    /** What 64 micro-batches of samples around 10000 with variance 0.01 leave, against two passes over all of them. */
    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"F32", "F64"})
    void statisticsKeepTheirDigitsFarFromZero(DType dtype) {
        int batches = 64;
        int samples = 256;
        Random random = new Random(2);
        double[][] data = new double[batches][samples];
        for (double[] batch : data) {
            Arrays.setAll(batch, i -> 10_000 + 0.1 * random.nextGaussian());
        }
        TensorType type = TensorType.of(dtype, 1);
        Tensor mean = Tensor.filled(type, Double.NaN);
        Tensor variance = Tensor.filled(type, Double.NaN);
        double squares = 0;
        for (int k = 0; k < batches; k++) {
            Tensor ofBatch = Tensor.of(type, rounded(dtype, mean(data[k])));
            Tensor spread = Tensor.of(type, rounded(dtype, variance(data[k])));
            double square = ofBatch.scalar() * ofBatch.scalar() + spread.scalar();
            squares = rounded(dtype, squares + rounded(dtype, square));
            StepSample step =
                    StepSample.of(new CombineStatistics(), List.of(mean, variance, ofBatch, spread, number(k)));
            List<Tensor> all = onCpu(step, 1);
            mean = all.get(0);
            variance = all.get(1);
        }
        double[] whole = Arrays.stream(data).flatMapToDouble(Arrays::stream).toArray();
        boolean wide = dtype == DType.F64;
        assertThat(mean.scalar()).isCloseTo(mean(whole), within(wide ? 1e-10 : 1e-3));
        assertThat(variance.scalar()).isCloseTo(variance(whole), within(variance(whole) * (wide ? 1e-9 : 1e-3)));
        double cancelled = squares / batches - mean.scalar() * mean.scalar();
        assertThat(Math.abs(cancelled - variance(whole)))
                .as("what a difference of squares would be off by")
                .isGreaterThan(variance(whole) * (wide ? 1e-8 : 1));
    }

    private static double rounded(DType dtype, double value) {
        return dtype == DType.F32 ? (float) value : value;
    }

    private static double mean(double[] samples) {
        return Arrays.stream(samples).map(x -> x - 10_000).average().orElseThrow() + 10_000;
    }

    private static double variance(double[] samples) {
        double mean = mean(samples);
        return Arrays.stream(samples)
                .map(x -> (x - mean) * (x - mean))
                .average()
                .orElseThrow();
    }

    @Test
    void microBatchesAreAddedInTheirOrder() {
        Tensor sum = Tensor.filled(TensorType.of(DType.F32, 1), Double.NaN);
        double[] values = {0x1p24, 1, 1, -0x1p24};
        for (int k = 0; k < values.length; k++) {
            Tensor value = Tensor.of(sum.type(), values[k]);
            sum = onCpu(StepSample.of(new Accumulate(), List.of(sum, value, number(k))), 1)
                    .getFirst();
        }
        assertThat(sum.data()).as("each 1 is lost, where 1 + 1 would not be").containsExactly(0);
    }
}
