package dev.remat.codegen.cuda.predict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.codegen.cuda.predict.AttentionShape.Part;
import dev.remat.codegen.cuda.sass.Assembly;
import dev.remat.ir.artifact.Extent3;
import dev.remat.ir.artifact.KernelEntry;
import dev.remat.ir.artifact.KernelUsage;
import dev.remat.ir.artifact.Launch;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Loops put together by hand: four warps that own 128 rows and multiply with 64 others in a round. */
class AttentionTimeTest {
    private static final int HMMA = 0x23c;
    private static final int FADD = 0x221;
    private static final int FFMA = 0x223;
    private static final SassModel MODEL = SassModel.of("sm_90a").orElseThrow();

    private static AttentionTime time(Assembly code, int blocks, AttentionShape shape) {
        KernelEntry entry = new KernelEntry("attention", "attention_tensor", List.of(), 128, false, "");
        CompiledKernel kernel = new CompiledKernel(entry, new KernelUsage(128, 0, 0, 0, 0, 0, 0), code.flow());
        return AttentionTime.of(kernel, new Launch(0, 0, Extent3.of(blocks), Extent3.of(128), 0, List.of()), shape);
    }

    private static AttentionShape shape(Part part, int heads, boolean causal) {
        return new AttentionShape(part, heads, heads, 256, 256, 64, 64, causal);
    }

    /** @param masking instructions that are jumped over where nothing is masked */
    private static Assembly loop(int products, int masking) {
        return new Assembly()
                .plain(products, HMMA, 6)
                .branch(products + 1 + masking, true)
                .plain(masking, FADD, 1)
                .plain(1, FADD, 1)
                .branch(0, true)
                .exit();
    }

    @Test
    void pairsOfTilesAreSpreadOverTheCard() {
        int heads = 132;
        double round = 1.35 * 1.9 * 128 * 6.35 / 1.70;
        AttentionTime all = time(loop(128, 1), 2 * heads, shape(Part.FORWARD, heads, false));
        assertThat(all.nanos(MODEL)).isEqualTo(2 * 4 * round, within(1e-6));
        assertThat(all.flops()).isEqualTo(2.0 * heads * 256 * 256 * 128);
        AttentionTime causal = time(loop(128, 1), 2 * heads, shape(Part.FORWARD, heads, true));
        assertThat(causal.nanos(MODEL)).as("two and four tiles").isEqualTo((2 + 4) * round, within(1e-6));
        AttentionTime one = time(loop(128, 1), 2, shape(Part.FORWARD, 1, true));
        assertThat(one.nanos(MODEL)).as("the longest block").isEqualTo(4 * round, within(1e-6));
    }

    @Test
    void gradientsOwnQueriesOrKeys() {
        int heads = 132;
        double round = 1.35 * 1.5 * 6.35 / 1.70;
        assertThat(time(loop(192, 1), 2 * heads, shape(Part.QUERIES, heads, true))
                        .nanos(MODEL))
                .isEqualTo((2 + 4) * 192 * round, within(1e-6));
        assertThat(time(loop(256, 1), 2 * heads, shape(Part.KEYS, heads, true)).nanos(MODEL))
                .isEqualTo((4 + 2) * 256 * round, within(1e-6));
        assertThat(shape(Part.KEYS, 1, true).tiles(128, 64, 1)).isEqualTo(2);
        assertThat(shape(Part.QUERIES, 1, true).tiles(128, 64, 1)).isEqualTo(4);
    }

    /** Blocks of keys go through the queries of all heads that share them. */
    @Test
    void sharedKeysAreOwnedOnce() {
        AttentionShape shape = new AttentionShape(Part.KEYS, 264, 132, 256, 256, 64, 64, false);
        double round = 1.35 * 1.5 * 6.35 / 1.70;
        assertThat(time(loop(256, 1), 2 * 132, shape).nanos(MODEL)).isEqualTo(2 * 2 * 4 * 256 * round, within(1e-6));
        assertThat(time(loop(256, 1), 2, new AttentionShape(Part.KEYS, 2, 1, 256, 256, 64, 64, false))
                        .nanos(MODEL))
                .as("the longest block")
                .isEqualTo(2 * 4 * 256 * round, within(1e-6));
    }

    /** A loop that copies inside the one that multiplies. */
    @Test
    void copyingInALoopChangesNoPairs() {
        Assembly copying = new Assembly()
                .plain(64, HMMA, 6)
                .plain(3, FADD, 1)
                .branch(64, true)
                .plain(64, HMMA, 6)
                .branch(0, true)
                .exit();
        AttentionShape shape = shape(Part.FORWARD, 132, false);
        assertThat(time(copying, 264, shape).nanos(MODEL))
                .isEqualTo(time(loop(128, 1), 264, shape).nanos(MODEL), within(1e-6));
    }

    @Test
    void maskingIsTheExceptionAndInstructionsCount() {
        AttentionShape shape = shape(Part.FORWARD, 132, false);
        double products = time(loop(128, 1), 264, shape).nanos(MODEL);
        assertThat(time(loop(128, 5000), 264, shape).nanos(MODEL)).isEqualTo(products);
        Assembly busy = new Assembly()
                .plain(128, HMMA, 6)
                .plain(1900, FADD, 1)
                .branch(0, true)
                .exit();
        double issued = 8 * 1.35 * 1.9 * (128 + 1900 + 1) / 1.70;
        assertThat(time(busy, 264, shape).nanos(MODEL)).isEqualTo(issued, within(1e-6));
    }

    @Test
    void withoutTensorCoresEveryMultiplicationCounts() {
        Assembly threads = new Assembly()
                .plain(64, FFMA, 1)
                .plain(63, FADD, 1)
                .branch(0, true)
                .exit();
        AttentionShape shape = shape(Part.FORWARD, 528, true);
        double pairs = 528 * 256 * 257 / 2.0;
        double cycles = 1.35 * pairs * 128 / 32 * (128 / 64.0) / 4 / 132;
        assertThat(time(threads, 528, shape).nanos(MODEL)).isEqualTo(cycles / 1.70, within(1e-6));
    }
}
