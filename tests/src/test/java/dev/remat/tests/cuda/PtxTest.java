package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.ir.artifact.Extent3;
import dev.remat.ir.artifact.KernelEntry;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.artifact.ParameterType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The shim's words for PTX: fragments of matrices put together again, and conversions bit by bit. */
class PtxTest {
    private static final int WARP = 32;
    private static final int ROWS = 16;
    private static final int COLUMNS = 8;
    private static final List<String> PRODUCTS =
            List.of("mma_bf16", "mma_bf16_transposed", "mma_f16", "mma_f16_transposed", "mma_tf32");
    private static final ShimLibrary LIBRARY = ShimLibrary.of(sources(), 1);

    private static List<KernelSource> sources() {
        List<KernelSource> sources = new ArrayList<>();
        for (String name : PRODUCTS) {
            sources.add(source(name, ParameterType.POINTER, sources.isEmpty()));
        }
        sources.add(source("convert", ParameterType.U32, false));
        return sources;
    }

    /** Only the first holds the text, which defines all. */
    private static KernelSource source(String name, ParameterType last, boolean first) {
        KernelEntry entry = new KernelEntry(
                name, "fragments", List.of(ParameterType.POINTER, ParameterType.POINTER, last), WARP, true, "");
        return new KernelSource(entry, List.of("ptx.cuh"), first ? ShimSource.resource("kernels/fragments.cu") : "");
    }

    private static void launch(String kernel, MemorySegment memory, long... arguments) {
        List<Long> slots = Arrays.stream(arguments).boxed().toList();
        Launch launch = new Launch(0, 0, Extent3.of(1), Extent3.of(WARP), 0, slots);
        LIBRARY.launch(kernel, launch, memory, ShimOrder.BACKWARD, Poison.ONES);
    }

    /** Small whole numbers, whose sums of products are exact. */
    @ParameterizedTest
    @CsvSource({
        "mma_bf16, 16, false",
        "mma_bf16_transposed, 16, true",
        "mma_f16, 16, false",
        "mma_f16_transposed, 16, true",
        "mma_tf32, 8, false"
    })
    void fragmentsMakeUpMatrices(String kernel, int depth, boolean transposed) {
        Random random = new Random(1);
        try (Arena owner = Arena.ofConfined()) {
            MemorySegment memory = LIBRARY.map(4096, owner);
            long a = 1024;
            long b = 2048;
            float[][] left = new float[ROWS][depth];
            float[][] right = new float[depth][COLUMNS];
            for (int k = 0; k < depth; k++) {
                for (int i = 0; i < ROWS; i++) {
                    left[i][k] = random.nextInt(-9, 10);
                    memory.setAtIndex(
                            ValueLayout.JAVA_FLOAT, a / 4 + (transposed ? k * ROWS + i : i * depth + k), left[i][k]);
                }
                for (int j = 0; j < COLUMNS; j++) {
                    right[k][j] = random.nextInt(-9, 10);
                    memory.setAtIndex(
                            ValueLayout.JAVA_FLOAT,
                            b / 4 + (transposed ? k * COLUMNS + j : j * depth + k),
                            right[k][j]);
                }
            }
            launch(kernel, memory, 0, a, b);
            for (int i = 0; i < ROWS; i++) {
                for (int j = 0; j < COLUMNS; j++) {
                    float sum = 0;
                    for (int k = 0; k < depth; k++) {
                        sum += left[i][k] * right[k][j];
                    }
                    assertThat(memory.getAtIndex(ValueLayout.JAVA_FLOAT, i * COLUMNS + j))
                            .isEqualTo(sum);
                }
            }
        }
    }

    @Test
    void conversionsRoundAsJavaDoes() {
        int n = 1 << 17;
        Random random = new Random(2);
        try (Arena owner = Arena.ofConfined()) {
            MemorySegment memory = LIBRARY.map(20L * n, owner);
            for (int i = 0; i < n; i++) {
                int bits = i < 1 << 16 ? Float.floatToRawIntBits(between(i)) : random.nextInt();
                memory.setAtIndex(ValueLayout.JAVA_INT, 4L * n + i, i % 3 == 0 ? i : bits);
            }
            launch("convert", memory, 0, 16L * n, n);
            for (int i = 0; i < n; i++) {
                int bits = memory.getAtIndex(ValueLayout.JAVA_INT, 4L * n + i);
                float x = Float.intBitsToFloat(bits);
                boolean nan = Float.isNaN(x);
                assertThat(memory.getAtIndex(ValueLayout.JAVA_INT, 4L * i))
                        .as("f16 of %08x", bits)
                        .isEqualTo(nan ? 0x7fff : Short.toUnsignedInt(Float.floatToFloat16(x)));
                assertThat(memory.getAtIndex(ValueLayout.JAVA_INT, 4L * i + 1))
                        .as("bf16 of %08x", bits)
                        .isEqualTo(nan ? 0x7fff : nearestEven(x, 16) >>> 16);
                assertThat(memory.getAtIndex(ValueLayout.JAVA_INT, 4L * i + 2))
                        .as("tf32 of %08x", bits)
                        .isEqualTo(nan ? 0x7fffffff : nearestAway(x, 13));
                float wide = Float.float16ToFloat((short) bits);
                assertThat(memory.getAtIndex(ValueLayout.JAVA_INT, 4L * i + 3))
                        .as("f32 of f16 %08x", bits)
                        .isEqualTo(Float.isNaN(wide) ? 0x7fffffff : Float.floatToRawIntBits(wide));
            }
        }
    }

    /** Just halfway between two values of f16, or one of f32 beside it. */
    private static float between(int half) {
        float low = Float.float16ToFloat((short) half);
        float middle = (low + Float.float16ToFloat((short) (half + 1))) / 2;
        return switch (half % 4) {
            case 0 -> Math.nextUp(middle);
            case 1 -> Math.nextDown(middle);
            default -> middle;
        };
    }

    /** Bits of the nearest float whose {@code dropped} low bits are zero; doubles are exact enough to compare. */
    private static int nearest(float x, int dropped, boolean even) {
        int bits = Float.floatToRawIntBits(x);
        if (Float.isInfinite(x)) {
            return bits;
        }
        int low = bits >>> dropped << dropped;
        int high = low + (1 << dropped);
        double below = Math.abs((double) Float.intBitsToFloat(low));
        boolean overflows = Float.isInfinite(Float.intBitsToFloat(high));
        double above = overflows ? 0x1p128 : Math.abs((double) Float.intBitsToFloat(high));
        double down = Math.abs((double) x) - below;
        double up = above - Math.abs((double) x);
        boolean tieDown = even && (low >>> dropped & 1) == 0;
        return down < up || down == up && tieDown ? low : high;
    }

    private static int nearestEven(float x, int dropped) {
        return nearest(x, dropped, true);
    }

    private static int nearestAway(float x, int dropped) {
        return nearest(x, dropped, false);
    }
}
