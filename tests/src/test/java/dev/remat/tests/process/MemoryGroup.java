package dev.remat.tests.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A memory control group of version 1 or 2 with a limit, gone when closed. */
record MemoryGroup(Path folder) implements AutoCloseable {
    /** Empty where none can be made. */
    static Optional<MemoryGroup> make(long bytes) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/mounts"))) {
            String[] fields = line.split(" ");
            if (List.of("cgroup", "cgroup2").contains(fields[2])) {
                Optional<MemoryGroup> group = below(Path.of(fields[1]), bytes);
                if (group.isPresent()) {
                    return group;
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<MemoryGroup> below(Path mount, long bytes) {
        Path folder = mount.resolve("remat-test-" + ProcessHandle.current().pid());
        try {
            Path enabled = mount.resolve("cgroup.subtree_control");
            if (Files.exists(enabled)) {
                Files.writeString(enabled, "+memory");
            }
            Files.createDirectory(folder);
            for (String limit : List.of("memory.limit_in_bytes", "memory.max")) {
                if (Files.exists(folder.resolve(limit))) {
                    Files.writeString(folder.resolve(limit), String.valueOf(bytes));
                    return Optional.of(new MemoryGroup(folder));
                }
            }
            Files.delete(folder);
        } catch (IOException e) {
            // Not allowed here, or no controller of memory.
            return Optional.empty();
        }
        return Optional.empty();
    }

    @Override
    public void close() throws IOException {
        Files.delete(folder);
    }
}
