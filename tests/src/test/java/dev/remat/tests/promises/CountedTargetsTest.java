package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.InputSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Where rows count differently, a loss is divided by what counts in the whole batch: targets that are not ignored,
 * weights of classes, a mask. The mean of the means of micro-batches is another number.
 */
class CountedTargetsTest {
    private static final int ROWS = 32;
    private static final int COUNT = 4;
    private static final int IGNORED = -1;
    private static final int CLASSES = 5;

    @ParameterizedTest
    @CsvSource({"0.1, 1", "0.5, 2", "0.9, 3"})
    void targetsThatCount(double share, int salt) {
        holds("cross_entropy(linear(x, 5) as head, targets, ignore_index = -1)", share, salt);
    }

    @ParameterizedTest
    @CsvSource({"0.3, 4", "0.7, 5"})
    void smoothedAndWeighted(double share, int salt) {
        holds(
                "cross_entropy(linear(x, 5) as head, targets, weight = cast(arange(5), f32) * 0.7 + 0.2,"
                        + " ignore_index = -1, label_smoothing = 0.1)",
                share,
                salt);
    }

    @ParameterizedTest
    @CsvSource({"0.2, 6", "0.8, 7"})
    void meansByAMask(double share, int salt) {
        holds(
                "sum(mean((linear(x, 4) as head) ** 2, axis = 1) * cast(targets >= 0, f32)) /"
                        + " sum(cast(targets >= 0, f32))",
                share,
                salt);
    }

    private static void holds(String loss, double share, int salt) {
        String text = """
            remat 1
            model Rows() {
              symbol B
              input x: f32[B, 3]
              input targets: i32[B]
              loss = %s
            }
            train {
              minimize loss
              optimizer sgd(lr = 0.1)
            }
            """.formatted(loss);
        Map<String, double[]> whole = outputs(text, ROWS, 1, share, salt, 0);
        Map<String, double[]> cut = outputs(text, ROWS, COUNT, share, salt, 0);
        assertThat(cut.keySet()).isEqualTo(whole.keySet()).contains("loss", "grad.head.weight");
        assertThat(distance(cut, whole)).isLessThan(1e-12);

        Map<String, double[]> meanOfMeans = new LinkedHashMap<>();
        for (int k = 0; k < COUNT; k++) {
            outputs(text, ROWS / COUNT, 1, share, salt, k).forEach((name, values) -> {
                double[] sum = meanOfMeans.computeIfAbsent(name, key -> new double[values.length]);
                for (int i = 0; i < values.length; i++) {
                    sum[i] += values[i] / COUNT;
                }
            });
        }
        assertThat(distance(meanOfMeans, whole)).as("the mean of means").isGreaterThan(1e-3);
    }

    /** The largest difference, relative to the largest element of its tensor. */
    private static double distance(Map<String, double[]> some, Map<String, double[]> others) {
        double distance = 0;
        for (Map.Entry<String, double[]> tensor : others.entrySet()) {
            double largest = 0;
            double difference = 0;
            for (int i = 0; i < tensor.getValue().length; i++) {
                largest = Math.max(largest, Math.abs(tensor.getValue()[i]));
                difference = Math.max(difference, Math.abs(some.get(tensor.getKey())[i] - tensor.getValue()[i]));
            }
            distance = Math.max(distance, difference / largest);
        }
        return distance;
    }

    private static Map<String, double[]> outputs(
            String text, int rows, int microBatches, double share, int salt, long batch) {
        Compilation plan = TrialRun.compile(
                TrialRun.cut(text, "B=" + rows, Purpose.GRADIENTS, microBatches, DType.F64),
                CompileOptions.defaults().withStrategy("keep-all"));
        Map<String, double[]> outputs = new LinkedHashMap<>();
        TrialRun.outputs(plan, 2, data(share, salt), batch).forEach((name, bytes) -> {
            ByteBuffer data = bytes.order(ByteOrder.LITTLE_ENDIAN);
            double[] values = new double[data.remaining() / Double.BYTES];
            data.asDoubleBuffer().get(values);
            outputs.put(name, values);
        });
        return outputs;
    }

    /** Rows that depend on their number in the whole of the data; every micro-batch has one that counts. */
    private static BatchSource data(double share, int salt) {
        return new BatchSource() {
            @Override
            public long batchesPerEpoch() {
                return 1;
            }

            @Override
            public void fill(long step, InputSpec input, MemorySegment target) {
                long width = input.elements() / input.rows();
                for (long i = 0; i < input.elements(); i++) {
                    long row = step * input.rows() + i / width;
                    double drawn = draw(salt, row, i % width, input.name());
                    if (input.dtype() == DType.I32) {
                        boolean counts = row % (ROWS / COUNT) == 0 || draw(salt, row, 7, "counts") >= share;
                        target.setAtIndex(ValueLayout.JAVA_INT, i, counts ? (int) (CLASSES * drawn) : IGNORED);
                    } else {
                        target.setAtIndex(ValueLayout.JAVA_DOUBLE, i, 4 * drawn - 2);
                    }
                }
            }
        };
    }

    private static double draw(int salt, long row, long column, String what) {
        long bits = 0x9E3779B97F4A7C15L * (salt + 31 * row + 1009 * column + 65537L * what.length());
        bits = (bits ^ bits >>> 29) * 0xBF58476D1CE4E5B9L;
        return ((bits ^ bits >>> 32) >>> 11) * 0x1p-53;
    }
}
