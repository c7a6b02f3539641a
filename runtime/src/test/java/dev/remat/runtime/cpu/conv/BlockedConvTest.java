package dev.remat.runtime.cpu.conv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import dev.remat.ir.op.ConvGeometry;
import dev.remat.runtime.cpu.conv.ConvPrimitive.Pass;
import dev.remat.runtime.cpu.support.TestArena;
import dev.remat.runtime.cpu.support.WorkerPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** oneDNN's way against our columns over OpenBLAS, which the reference has judged. */
class BlockedConvTest {
    private static ConvShape shape(int n, int channels, int size, int filters, int filter, int stride, int groups) {
        int padding = filter / 2;
        int output = (size + 2 * padding - filter) / stride + 1;
        return new ConvShape(
                DType.F32,
                n,
                channels,
                size,
                size,
                filters,
                output,
                output,
                filter,
                filter,
                new ConvGeometry(stride, stride, padding, padding, 1, 1, groups));
    }

    @ParameterizedTest
    @CsvSource({
        "16,16,16,16,3,1,1",
        "20,3,32,16,3,1,1",
        "9,16,17,32,3,2,1",
        "8,64,16,16,1,1,1",
        "32,32,16,48,1,2,1",
        "33,24,8,24,3,1,1",
        "8,64,14,64,3,1,2",
        "16,64,28,64,3,1,64",
        "5,20,20,28,5,1,1"
    })
    void agreesWithColumns(int n, int channels, int size, int filters, int filter, int stride, int groups) {
        ConvShape shape = shape(n, channels, size, filters, filter, stride, groups);
        assertThat(BlockedConv.suits(shape)).isTrue();
        int inputs = n * channels * size * size;
        int outputs = n * filters * shape.positions();
        int weights = (int) shape.weights();
        try (TestArena arena = new TestArena(256 << 20);
                WorkerPool pool = new WorkerPool(3);
                ConvPrimitives primitives = new ConvPrimitives(5)) {
            long x = arena.normal(DType.F32, inputs);
            long w = arena.normal(DType.F32, weights);
            long y = arena.normal(DType.F32, outputs);
            long[] result = {arena.reserve(4L * outputs), arena.reserve(4L * inputs), arena.reserve(4L * weights)};
            long[] expected = {arena.reserve(4L * outputs), arena.reserve(4L * inputs), arena.reserve(4L * weights)};
            int[] counts = {outputs, inputs, weights};
            double[] terms = {
                channels * shape.taps() / (double) groups,
                filters * shape.taps() / (double) groups,
                n * (double) shape.positions()
            };
            for (Pass pass : Pass.values()) {
                int at = pass.ordinal();
                long workspace =
                        arena.reserve(new ConvKernel(shape, pass, DType.F32, primitives).workspaceBytes(pool.slots()));
                if (primitives.find(shape, pass).isEmpty()) {
                    continue;
                }
                BlockedConv conv =
                        new BlockedConv(shape, primitives.find(shape, pass).get());
                switch (pass) {
                    case OUTPUT -> {
                        conv.run(pool, arena.memory, x, w, result[at], workspace);
                        new Conv(shape).run(pool, arena.memory, x, w, expected[at], workspace);
                    }
                    case INPUT_GRADIENT -> {
                        conv.runTransposed(pool, arena.memory, y, w, result[at], workspace);
                        new Conv(shape).runTransposed(pool, arena.memory, y, w, expected[at], workspace);
                    }
                    case WEIGHT_GRADIENT -> {
                        conv.runWeightGradient(pool, arena.memory, x, y, result[at], workspace);
                        new ConvWeightGradient(shape, shape.type())
                                .run(pool, arena.memory, x, y, expected[at], workspace);
                    }
                }
                double worst = 0;
                for (int i = 0; i < counts[at]; i++) {
                    double difference = arena.get(DType.F32, result[at], i) - arena.get(DType.F32, expected[at], i);
                    worst = Math.max(worst, Math.abs(difference));
                }
                assertThat(worst).as("%s", pass).isLessThan(4e-5 * Math.sqrt(terms[at]));
            }
        }
    }

    @Test
    void bitsDoNotDependOnThreads() {
        ConvShape shape = shape(24, 16, 16, 32, 3, 1, 1);
        try (TestArena arena = new TestArena(64 << 20);
                ConvPrimitives primitives = new ConvPrimitives(5)) {
            long x = arena.normal(DType.F32, 24 * 16 * 256);
            long y = arena.normal(DType.F32, 24 * 32 * 256);
            double[][] results = new double[2][];
            for (int run = 0; run < 2; run++) {
                try (WorkerPool pool = new WorkerPool(1 + 4 * run)) {
                    long w = arena.reserve(4 * shape.weights());
                    long workspace = arena.reserve(BlockedConv.workspaceBytes(shape, Pass.WEIGHT_GRADIENT));
                    primitives
                            .find(shape, Pass.WEIGHT_GRADIENT)
                            .ifPresentOrElse(
                                    p -> new BlockedConv(shape, p)
                                            .runWeightGradient(pool, arena.memory, x, y, w, workspace),
                                    () -> arena.zeros(DType.F32, 0));
                    results[run] = arena.values(DType.F32, w, (int) shape.weights());
                }
            }
            assertThat(results[1]).isEqualTo(results[0]);
        }
    }

    /** A sum and an image's share a part; terms where parts have several, one of them in the result if it has room. */
    @ParameterizedTest
    @CsvSource({"24,32,8,3,0", "48,32,8,4,7", "48,24,8,4,8"})
    void weightGradientsTakeNoMoreWorkspaceThanTheyUse(int n, int filters, int parts, int images, int terms) {
        long weights = 32L * 16 * 9 * 4;
        long share = images * (16L + 32) * 16 * 16 * 4 + BlockedConv.SCRATCH_BYTES;
        ConvShape shape = shape(n, 16, 16, filters, 3, 1, 1);
        assertThat(BlockedConv.workspaceBytes(shape, Pass.WEIGHT_GRADIENT))
                .isEqualTo(parts * (weights + share) + terms * weights);
    }

    @Test
    void leavesSmallConvolutionsAndOtherTypesAlone() {
        assertThat(BlockedConv.suits(shape(1, 4, 8, 4, 3, 1, 1))).isFalse();
        ConvShape half =
                new ConvShape(DType.BF16, 64, 64, 32, 32, 64, 32, 32, 3, 3, new ConvGeometry(1, 1, 1, 1, 1, 1, 1));
        assertThat(BlockedConv.suits(half)).isFalse();
    }
}
