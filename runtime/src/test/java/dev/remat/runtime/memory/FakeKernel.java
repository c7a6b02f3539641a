package dev.remat.runtime.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder with the kernel's files, written by hand as its documentation has them. */
record FakeKernel(Path root) {
    FakeKernel write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
        return this;
    }

    FakeKernel available(long kibibytes) throws IOException {
        return write(
                "proc/meminfo",
                "MemTotal:       16000 kB\nMemFree:          100 kB\nMemAvailable:    " + kibibytes
                        + " kB\nSwapFree:        0 kB\n");
    }

    /** A process in a group of version 1, beside one of version 2 without controllers. */
    FakeKernel inGroupOfOne(String group, String mountRoot) throws IOException {
        return write("proc/self/mountinfo", """
            31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
            34 31 0:31 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct
            35 31 0:32 %s /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
            41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
            """.formatted(mountRoot))
                .write("proc/self/cgroup", "4:memory:" + group + "\n1:cpu,cpuacct:/other\n0::/\n");
    }

    FakeKernel inGroupOfTwo(String group) throws IOException {
        return write(
                        "proc/self/mountinfo",
                        "24 1 0:22 / /sys/fs/cgroup rw,nosuid shared:5 - cgroup2 cgroup2 rw,nsdelegate\n")
                .write("proc/self/cgroup", "0::" + group + "\n");
    }

    FakeKernel groupOfOne(String group, long limit, long used, String stat) throws IOException {
        String folder = "sys/fs/cgroup/memory" + group + "/memory.";
        return write(folder + "limit_in_bytes", limit + "\n")
                .write(folder + "usage_in_bytes", used + "\n")
                .write(folder + "stat", stat);
    }

    FakeKernel groupOfTwo(String group, String limit, long used, String stat) throws IOException {
        String folder = "sys/fs/cgroup" + group + "/memory.";
        return write(folder + "max", limit + "\n")
                .write(folder + "current", used + "\n")
                .write(folder + "stat", stat);
    }

    MemoryLimits limits() {
        return new MemoryLimits(root);
    }
}
