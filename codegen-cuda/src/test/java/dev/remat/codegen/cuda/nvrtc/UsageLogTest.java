package dev.remat.codegen.cuda.nvrtc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.remat.ir.artifact.KernelUsage;
import org.junit.jupiter.api.Test;

class UsageLogTest {
    @Test
    void readsWhatEachKernelTakes() {
        String log = """
            ptxas info    : 400 bytes gmem, 400 bytes cmem[3]
            ptxas info    : Compiling entry function 'b' for 'sm_80'
            ptxas info    : Function properties for b
            ptxas         .     728 bytes stack frame, 1684 bytes spill stores, 1824 bytes spill loads
            ptxas info    : Used 24 registers, used 2 barriers, 512 bytes smem, 372 bytes cmem[0], 8 bytes cmem[2]
            ptxas info    : Compile time = 40.886 ms
            ptxas info    : Compiling entry function 'a' for 'sm_80'
            ptxas info    : Function properties for a
            ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
            ptxas info    : Used 8 registers, used 0 barriers
            """;
        assertThat(UsageLog.read(log))
                .containsExactly(
                        entry("b", new KernelUsage(24, 2, 728, 1684, 1824, 512, 380)),
                        entry("a", new KernelUsage(8, 0, 0, 0, 0, 0, 0)));
    }

    @Test
    void addsWhatACalledFunctionTakes() {
        String log = """
            ptxas info    : Compiling entry function 'a' for 'sm_80'
            ptxas info    : Function properties for a
            ptxas         .     16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
            ptxas info    : Used 44 registers, used 0 barriers, 364 bytes cmem[0]
            ptxas info    : Function properties for _Z1ffi
            ptxas         .     248 bytes stack frame, 72 bytes spill stores, 76 bytes spill loads
            """;
        assertThat(UsageLog.read(log)).containsEntry("a", new KernelUsage(44, 0, 264, 72, 76, 0, 364));
    }

    @Test
    void findsNothingInOtherLogs() {
        assertThat(UsageLog.read("ptxas info    : 0 bytes gmem\nptxas info    : Used 8 registers\n"))
                .isEmpty();
    }
}
