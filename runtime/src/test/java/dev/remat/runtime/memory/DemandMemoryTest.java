package dev.remat.runtime.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.runtime.memory.MemoryLimit.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemandMemoryTest {
    private static final long MEBIBYTE = 1L << 20;
    /** Of one thread: 32 and 8 MiB. */
    private static final long BESIDE = 40 * MEBIBYTE;

    @TempDir
    Path root;

    private final AtomicInteger given = new AtomicInteger();

    private void demand(long arenaBytes, long heapBytes, MemoryLimits limits) {
        DemandMemory.run(arenaBytes, 1, heapBytes, limits, given::incrementAndGet);
    }

    /** A group of 500 MiB of which the process and others have taken so much. */
    private FakeKernel group(long usedBytes) throws IOException {
        return new FakeKernel(root)
                .available(1 << 20)
                .inGroupOfTwo("/job")
                .groupOfTwo("/job", String.valueOf(500 * MEBIBYTE), usedBytes, "");
    }

    @Test
    void whatFitsWithAFullHeapIsLeftAlone() throws IOException {
        MemoryLimits limits = group(200 * MEBIBYTE).limits();
        demand(160 * MEBIBYTE, 100 * MEBIBYTE, limits);
        assertThat(given).hasValue(0);
        demand(160 * MEBIBYTE, 101 * MEBIBYTE, limits);
        assertThat(given).hasValue(1);
    }

    @Test
    void whatFitsOnceTheHeapIsGivenBackRuns() throws IOException {
        MemoryLimits limits = group(400 * MEBIBYTE).limits();
        DemandMemory.run(200 * MEBIBYTE, 1, 100 * MEBIBYTE, limits, () -> {
            try {
                group(260 * MEBIBYTE);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            given.incrementAndGet();
        });
        assertThat(given).hasValue(1);
    }

    @Test
    void whatDoesNotIsRefusedWithBothNumbers() throws IOException {
        MemoryLimits limits = group(260 * MEBIBYTE).limits();
        demand(200 * MEBIBYTE, 0, limits);
        assertThatThrownBy(() -> demand(200 * MEBIBYTE + 1, 0, limits))
                .isInstanceOf(ProcessMemoryException.class)
                .hasMessage("the arena takes 209715201 bytes, and the process needs 41943040 more beside it, and the"
                        + " control group /job has 251658240 free of 524288000")
                .extracting(e -> ((ProcessMemoryException) e).arenaThatFits().getAsLong())
                .isEqualTo(200 * MEBIBYTE);
    }

    @Test
    void theLimitThatLeavesTheLeastIsNamed() throws IOException {
        FakeKernel kernel = group(260 * MEBIBYTE)
                .write("proc/self/limits", "Max address space         1048576000      unlimited            bytes\n")
                .write("proc/self/status", "VmSize:\t 1000000 kB\n");
        assertThatThrownBy(() -> demand(200 * MEBIBYTE + 1, 0, kernel.limits()))
                .hasMessageContaining("ulimit -v has 24576000 free of 1048576000");
        assertThatThrownBy(() -> demand(1, 0, kernel.limits())).hasMessageContaining("ulimit -v");
    }

    @Test
    void whereNothingLimitsEverythingRuns() {
        demand(Long.MAX_VALUE / 4, Long.MAX_VALUE / 4, new FakeKernel(root).limits());
        assertThat(given).hasValue(0);
    }

    /** What is left of 500 MiB: less 132 that a process has from its start, 40 beside, and a sixteenth for the plan. */
    @Test
    void tellsWhatIsLeftToAnArena() throws IOException {
        long resident = 70 * MEBIBYTE;
        long left = 500 * MEBIBYTE - 132 * MEBIBYTE - BESIDE;
        assertThat(ProcessMemory.leftToArena(1, group(resident).limits(), resident))
                .isEqualTo(left - left / 16);
        long others = 100 * MEBIBYTE;
        assertThat(ProcessMemory.leftToArena(1, group(resident + others).limits(), resident))
                .isEqualTo(left - others - 16 * MEBIBYTE);
        assertThat(ProcessMemory.stillToTake(Kind.RESIDENT, 1)).isEqualTo(BESIDE);
    }

    @Test
    void whereNothingIsLeftToAnArenaItSaysSo() throws IOException {
        MemoryLimits limits = group(450 * MEBIBYTE).limits();
        assertThatThrownBy(() -> ProcessMemory.leftToArena(1, limits, 70 * MEBIBYTE))
                .isInstanceOf(ProcessMemoryException.class)
                .hasMessage("the process needs 123731968 more beside its arena, and the control group /job has 52428800"
                        + " free of 524288000")
                .matches(e -> ((ProcessMemoryException) e).arenaThatFits().isEmpty());
    }
}
