package dev.remat.runtime.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.remat.runtime.memory.MemoryLimit.Kind;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryLimitsTest {
    private static final long NONE = 9_223_372_036_854_771_712L;

    @TempDir
    Path root;

    private FakeKernel kernel;

    @BeforeEach
    void make() {
        kernel = new FakeKernel(root);
    }

    @Test
    void saysNothingWhereTheSystemDoesNot() {
        assertThat(kernel.limits().freeBytes()).isEmpty();
        assertThat(kernel.limits().read()).isEmpty();
    }

    @Test
    void isWhatTheSystemCallsAvailable() throws IOException {
        kernel.available(5000).inGroupOfTwo("/").groupOfTwo("", "max", 4096, "");
        assertThat(kernel.limits().freeBytes()).hasValue(5000L << 10);
        assertThat(kernel.limits().read()).containsExactly(machine(5000));
    }

    private static MemoryLimit machine(long kibibytes) {
        return new MemoryLimit("this machine", Kind.RESIDENT, 16000L << 10, kibibytes << 10, 0);
    }

    @Test
    void isWhatAContainerHasLeftButForItsCaches() throws IOException {
        kernel.available(5000).groupOfTwo("", "1000000", 900_000, "anon 500000\ninactive_file 300000\nactive_file 1\n");
        assertThat(kernel.limits().freeBytes()).hasValue(400_001);
        kernel.groupOfTwo("", "500000", 900_000, "anon 500000\n");
        assertThat(kernel.limits().freeBytes()).hasValue(0);
    }

    /** Of groups inside each other the one that leaves the least counts, whichever it is. */
    @Test
    void readsOwnGroupAndAllAround() throws IOException {
        kernel.available(9000)
                .inGroupOfTwo("/a/b/c")
                .groupOfTwo("/a/b/c", "max", 10, "")
                .groupOfTwo("/a/b", "3000", 1000, "")
                .groupOfTwo("/a", "2000", 1500, "inactive_file 100\n")
                .groupOfTwo("", "max", 5000, "");
        assertThat(kernel.limits().read())
                .containsExactly(
                        machine(9000),
                        new MemoryLimit("the control group /a/b", Kind.RESIDENT, 3000, 2000, 0),
                        new MemoryLimit("the control group /a", Kind.RESIDENT, 2000, 600, 0));
        assertThat(kernel.limits().freeBytes()).hasValue(600);
    }

    @Test
    void readsGroupsOfVersionOneBesideVersionTwo() throws IOException {
        kernel.available(9000)
                .inGroupOfOne("/docker/x", "/")
                .groupOfOne("/docker/x", 2000, 1000, "inactive_file 1\ntotal_inactive_file 30\ntotal_active_file 4\n")
                .groupOfOne("/docker", NONE, 1000, "")
                .groupOfOne("", 1900, 1800, "");
        assertThat(kernel.limits().read())
                .extracting(MemoryLimit::of, MemoryLimit::bytes, MemoryLimit::freeBytes)
                .containsExactly(
                        tuple("this machine", 16000L << 10, 9000L << 10),
                        tuple("the control group /docker/x", 2000L, 1034L),
                        tuple("the control group /", 1900L, 100L));
    }

    /** Without hierarchy, a group of version 1 counts for itself alone. */
    @Test
    void whereVersionOneDoesNotCountWithinOthersNothingAroundLimits() throws IOException {
        kernel.inGroupOfOne("/x", "/")
                .groupOfOne("/x", 2000, 500, "")
                .groupOfOne("", 1900, 1800, "")
                .write("sys/fs/cgroup/memory/memory.use_hierarchy", "0\n");
        assertThat(kernel.limits().freeBytes()).hasValue(1500);
        kernel.write("sys/fs/cgroup/memory/memory.use_hierarchy", "1\n");
        assertThat(kernel.limits().freeBytes()).hasValue(100);
    }

    /** A container is told its path on the machine, and sees its own group where groups are mounted. */
    @Test
    void findsTheGroupOfAContainer() throws IOException {
        kernel.inGroupOfOne("/docker/x", "/docker/x").groupOfOne("", 2000, 500, "");
        assertThat(kernel.limits().freeBytes()).hasValue(1500);
        kernel.inGroupOfOne("/docker/x/inner", "/docker/x").groupOfOne("/inner", 1000, 1, "");
        assertThat(kernel.limits().freeBytes()).hasValue(999);
        kernel.inGroupOfOne("/elsewhere", "/docker/x");
        assertThat(kernel.limits().freeBytes()).hasValue(1500);
    }

    @Test
    void swapIsLeftButNotFree() throws IOException {
        kernel.write("proc/meminfo", "MemTotal: 900 kB\nMemAvailable:   100 kB\nSwapFree:   50 kB\n")
                .inGroupOfTwo("/a")
                .groupOfTwo("/a", "60000", 20_000, "")
                .write("sys/fs/cgroup/a/memory.swap.max", "7000\n")
                .write("sys/fs/cgroup/a/memory.swap.current", "1000\n");
        assertThat(kernel.limits().read())
                .extracting(MemoryLimit::freeBytes, MemoryLimit::leftBytes)
                .containsExactly(tuple(100L << 10, 150L << 10), tuple(40_000L, 46_000L));
        kernel.inGroupOfOne("/b", "/")
                .groupOfOne("/b", 5000, 4000, "")
                .write("sys/fs/cgroup/memory/b/memory.memsw.limit_in_bytes", "5000\n")
                .write("sys/fs/cgroup/memory/b/memory.memsw.usage_in_bytes", "4000\n");
        assertThat(kernel.limits().read())
                .filteredOn(limit -> limit.of().endsWith("/b"))
                .extracting(MemoryLimit::leftBytes)
                .containsExactly(1000L);
    }

    @Test
    void readsTheLimitsOfTheShell() throws IOException {
        kernel.write("proc/self/limits", """
            Limit                     Soft Limit           Hard Limit           Units
            Max data size             unlimited            unlimited            bytes
            Max address space         4096000              unlimited            bytes
            """)
                .write("proc/self/status", "Name:\tjava\nVmSize:\t    1000 kB\nVmData:\t 5 kB\n");
        assertThat(kernel.limits().read())
                .containsExactly(new MemoryLimit("ulimit -v", Kind.MAPPED, 4_096_000, 4_096_000 - (1000L << 10), 0));
        assertThat(kernel.limits().freeBytes()).isEmpty();
    }
}
