package dev.remat.codegen.cuda.predict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.codegen.cuda.sass.Assembly;
import dev.remat.ir.artifact.Extent3;
import dev.remat.ir.artifact.KernelEntry;
import dev.remat.ir.artifact.KernelUsage;
import dev.remat.ir.artifact.Launch;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tiles of 128 x 256 put together by hand, against the formula of docs/costs.md. */
class ProductTimeTest {
    private static final int HMMA = 0x23c;
    private static final int LDSM = 0x83b;
    private static final int LDS = 0x984;
    private static final int LDG = 0x981;
    private static final int STS = 0x388;
    private static final int FADD = 0x221;
    private static final int FFMA = 0x223;
    private static final int SIXTEEN_BYTES = 6;
    private static final SassModel MODEL = SassModel.of("sm_90a").orElseThrow();
    /** Cycles of a scheduler in a round: two warps of each multiply and do 16 + 20 + 1 other things. */
    private static final double ROUND = 2 * (64 * 6.35 + 37);

    private static Assembly multiplying() {
        Assembly code = new Assembly().plain(10, FADD, 1);
        for (int i = 0; i < 16; i++) {
            code.access(LDSM, 1, 2, 0);
        }
        return code.plain(64, HMMA, 6).plain(20, FADD, 1).branch(10, true);
    }

    /** Eight sums of a thread in each round, with 30 instructions that wait three cycles. */
    private static Assembly whole(boolean loading) {
        Assembly code = multiplying().plain(8, STS, 2);
        int drain = 10 + 101 + 8;
        code.access(LDS, SIXTEEN_BYTES, 2, 0).access(LDS, SIXTEEN_BYTES, 2, 16);
        if (loading) {
            code.access(LDG, SIXTEEN_BYTES, 4, 0);
        }
        return code.plain(30, FADD, 3)
                .branch(drain, true)
                .branch(10 + 101, true)
                .exit()
                .plain(99, FFMA, 5);
    }

    private static double cycles(Assembly code, int registers, int blocks, long k, long splitDepth) {
        KernelEntry entry = new KernelEntry("gemm_tensor_bf16_nt_128x256_0", "gemm_tensor", List.of(), 256, false, "");
        KernelUsage usage = new KernelUsage(registers, 0, 0, 0, 0, 0, 0);
        Launch launch = new Launch(
                0, 0, Extent3.of(blocks), Extent3.of(256), 98_304, List.of(0L, 128L, 256L, k, 1L, splitDepth));
        CompiledKernel kernel = new CompiledKernel(entry, usage, code.flow());
        ProductShape shape = ProductShape.of(entry, launch).orElseThrow();
        return ProductTime.of(kernel, launch, shape, 2).orElseThrow().nanos(MODEL) * 1.70;
    }

    @Test
    void wavesOfRoundsAndTheirEpilogues() {
        double epilogue = 16 * (30 * 3 + 1) + 8 * 2 + 1 + 1;
        double wave = 1500 + 10 * ROUND + epilogue;
        assertThat(cycles(whole(false), 255, 132, 320, 320)).isEqualTo(wave, within(1e-6));
        assertThat(cycles(whole(false), 255, 133, 320, 320)).isEqualTo(2 * wave, within(1e-6));
        assertThat(cycles(whole(false), 255, 132, 321, 320)).as("in splits").isEqualTo(wave, within(1e-6));
        assertThat(cycles(whole(false), 255, 132, 321, 321)).isEqualTo(wave + ROUND, within(1e-6));
        assertThat(cycles(whole(true), 255, 132, 320, 320)).isEqualTo(wave + 16 * 350, within(1e-6));
        int drain = 10 + 101;
        Assembly apart = multiplying()
                .access(LDS, SIXTEEN_BYTES, 2, 0)
                .access(LDG, SIXTEEN_BYTES, 4, 0)
                .access(LDG, SIXTEEN_BYTES, 4, 16)
                .branch(drain + 5, true)
                .plain(1, FADD, 1)
                .access(LDG, SIXTEEN_BYTES, 4, 32)
                .branch(drain, true)
                .exit();
        assertThat(cycles(apart, 255, 132, 320, 320))
                .as("loads of one block are waited for together")
                .isEqualTo(1500 + 10 * ROUND + 32 * (3 + 2 * 350) + 1, within(1e-6));
        assertThat(cycles(multiplying().exit(), 255, 132, 320, 320)).isEqualTo(1500 + 10 * ROUND + 2, within(1e-6));
    }

    @Test
    void blocksTogetherShareAMultiprocessor() {
        double instructions = 2 * (2 + 30 + 1);
        double wave = 1500 + 2 * 10 * ROUND + 16 * Math.max(91, 2 * instructions) + 18;
        assertThat(cycles(whole(false), 64, 264, 320, 320)).isEqualTo(wave, within(1e-6));
        assertThat(cycles(whole(false), 64, 132, 320, 320)).isEqualTo(cycles(whole(false), 255, 132, 320, 320));
    }

    @Test
    void onlyProductsOfTilesAreTakenForThem() {
        KernelEntry other = new KernelEntry("reduce_128x256_0", "reduce", List.of(), 256, false, "");
        Launch launch = new Launch(0, 0, Extent3.of(1), Extent3.of(256), 0, List.of(0L, 1L, 1L, 1L, 1L, 1L));
        assertThat(ProductShape.of(other, launch)).isEmpty();
        KernelEntry second = new KernelEntry("split_k_bf16_0", "split_k", List.of(), 256, false, "");
        CompiledKernel kernel = new CompiledKernel(
                second,
                new KernelUsage(32, 0, 0, 0, 0, 0, 0),
                multiplying().exit().flow());
        assertThat(ProductTime.of(kernel, launch, new ProductShape(1, 1, 1, 1, 1), 2))
                .isEmpty();
        assertThat(new ProductShape(3, 5, 100, 2, 32).partialBytes()).isEqualTo(4 * 2 * 3 * 5 * 4);
    }
}
