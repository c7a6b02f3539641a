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

/** Kernels put together by hand. */
class StreamTimeTest {
    private static final int LDG = 0x981;
    private static final int STG = 0x986;
    private static final int FFMA = 0x223;
    private static final int FOUR_BYTES = 4;
    private static final int SIXTEEN_BYTES = 6;
    private static final long BLOCKS = 132 * 64;
    private static final SassModel MODEL = SassModel.of("sm_90a").orElseThrow();

    private static StreamTime time(Assembly code, long blocks, long bytesOfAThread) {
        KernelEntry entry = new KernelEntry("k", "elementwise", List.of(), 256, false, "");
        CompiledKernel kernel = new CompiledKernel(entry, new KernelUsage(32, 0, 0, 0, 0, 0, 0), code.flow());
        Launch launch = new Launch(0, 0, Extent3.of((int) blocks), Extent3.of(256), 0, List.of());
        long bytes = blocks * 256 * bytesOfAThread;
        return StreamTime.of(kernel, launch, new Traffic(bytes / 2, bytes / 2, 0));
    }

    private static double nanos(Assembly code) {
        return time(code, BLOCKS, 32).nanos(MODEL, 0.88);
    }

    private static Assembly copying(int instructions) {
        return new Assembly()
                .access(LDG, SIXTEEN_BYTES, 2, 0)
                .plain(instructions, FFMA, 1)
                .access(STG, SIXTEEN_BYTES, 4, 0)
                .exit();
    }

    @Test
    void theLongerOfBytesAndInstructionsCounts() {
        double bytes = BLOCKS * 256 * 32 / (3.0e12 * 0.88) * 1e9;
        assertThat(nanos(copying(4))).isEqualTo(bytes, within(1e-6));
        assertThat(nanos(copying(40))).isEqualTo(bytes, within(1e-6));
        double issued = 64 * 8 / 4 * (2000 + 3) * 1.25 / 1.70e9 * 1e9;
        assertThat(nanos(copying(2000))).isEqualTo(issued, within(1e-6));
    }

    @Test
    void sixteenBytesInFourStoresTouchMemoryFourTimes() {
        Assembly pieces = new Assembly()
                .access(LDG, SIXTEEN_BYTES, 2, 0)
                .access(STG, FOUR_BYTES, 4, 0)
                .access(STG, FOUR_BYTES, 4, 4)
                .access(STG, FOUR_BYTES, 4, 8)
                .access(STG, FOUR_BYTES, 4, 12)
                .exit();
        Assembly shuffled = new Assembly()
                .access(LDG, SIXTEEN_BYTES, 2, 0)
                .access(STG, FOUR_BYTES, 4, 8)
                .plain(9, FFMA, 1)
                .access(STG, FOUR_BYTES, 4, 0)
                .access(STG, FOUR_BYTES, 4, 12)
                .access(STG, FOUR_BYTES, 4, 4)
                .exit();
        assertThat(nanos(shuffled)).isEqualTo(nanos(pieces));
        assertThat(nanos(pieces)).isEqualTo(BLOCKS * 256 * (16 + 4 * 16) / (5.0e12 * 0.9) * 1e9, within(1e-6));
        Assembly wide = new Assembly().access(LDG, SIXTEEN_BYTES, 2, 0);
        for (int i = 0; i < 8; i++) {
            wide.access(STG, SIXTEEN_BYTES, 4, 16L * i);
        }
        assertThat(nanos(wide.exit()))
                .as("a piece of 32 bytes takes two stores of 16, however many follow")
                .isEqualTo(nanos(copying(4)));
        Assembly apart = new Assembly()
                .access(LDG, SIXTEEN_BYTES, 2, 0)
                .access(STG, FOUR_BYTES, 4, 0)
                .access(STG, FOUR_BYTES, 4, 4096)
                .access(STG, FOUR_BYTES, 5, 4100)
                .access(STG, FOUR_BYTES, 5, 8192)
                .exit();
        assertThat(nanos(apart)).isEqualTo(nanos(copying(4)));
    }

    @Test
    void loopsThatLoadGoOnUntilAllBytesAreThere() {
        Assembly loop = new Assembly()
                .plain(5, FFMA, 1)
                .access(LDG, SIXTEEN_BYTES, 2, 0)
                .plain(2, FFMA, 1)
                .branch(5, true)
                .exit();
        StreamTime time = time(loop, 100, 320);
        assertThat(time.rounds()).isEqualTo(20);
        assertThat(time.path().instructions()).isEqualTo(5 + 20 * 4 + 1);
        assertThat(time.flops()).isEqualTo((5 + 40) * 2.0 * 100 * 256);
        assertThat(time(copying(4), 100, 320).rounds()).as("no loop").isZero();
        Assembly tail = new Assembly()
                .access(LDG, SIXTEEN_BYTES, 2, 0)
                .access(STG, SIXTEEN_BYTES, 4, 0)
                .access(LDG, FOUR_BYTES, 2, 0)
                .plain(90, FFMA, 1)
                .branch(2, true)
                .exit();
        assertThat(time(tail, 100, 32).rounds()).as("straight code moves all").isZero();
    }

    /** One block of one wave: latency, not rates. */
    @Test
    void aFewThreadsWaitForWhatTheyLoad() {
        Assembly loop = new Assembly()
                .access(LDG, FOUR_BYTES, 2, 0)
                .plain(2, FFMA, 5)
                .branch(0, true)
                .exit();
        double rounds = 64;
        double cycles = rounds * (2 * 5 + 1) + 1 + 600 * (1 + rounds);
        assertThat(time(loop, 1, 256).nanos(MODEL, 0.88)).isEqualTo(cycles / 1.70, within(1e-6));
        assertThat(time(copying(1), 1, 32).nanos(MODEL, 0.88))
                .as("the least of any kernel")
                .isEqualTo(1900);
    }
}
