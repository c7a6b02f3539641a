package dev.remat.runtime.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the kernel's files say, written by hand. */
class HostMemoryTest {
    @TempDir
    Path root;

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    @Test
    void saysNothingWhereTheSystemDoesNot() {
        assertThat(new HostMemory(root).freeBytes()).isEmpty();
    }

    @Test
    void isWhatTheSystemCallsAvailable() throws IOException {
        write("proc/meminfo", "MemTotal:       16000000 kB\nMemFree:          100 kB\nMemAvailable:    5000 kB\n");
        write("sys/fs/cgroup/memory.max", "max\n");
        write("sys/fs/cgroup/memory.current", "4096\n");
        assertThat(new HostMemory(root).freeBytes()).hasValue(5000L << 10);
    }

    @Test
    void isWhatAContainerHasLeftButForItsCaches() throws IOException {
        write("proc/meminfo", "MemAvailable:    5000 kB\n");
        write("sys/fs/cgroup/memory.max", "1000000\n");
        write("sys/fs/cgroup/memory.current", "900000\n");
        write("sys/fs/cgroup/memory.stat", "anon 500000\ninactive_file 300000\nactive_file 1\n");
        assertThat(new HostMemory(root).freeBytes()).hasValue(400_000);
        write("sys/fs/cgroup/memory.max", "500000\n");
        assertThat(new HostMemory(root).freeBytes()).hasValue(0);
    }

    @Test
    void readsTheFilesOfEarlierKernels() throws IOException {
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000000\n");
        write("sys/fs/cgroup/memory/memory.usage_in_bytes", "900000\n");
        write("sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 7\n");
        assertThat(new HostMemory(root).freeBytes()).hasValue(100_001);
    }
}
