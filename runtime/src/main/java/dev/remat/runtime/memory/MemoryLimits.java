package dev.remat.runtime.memory;

import dev.remat.runtime.memory.MemoryLimit.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What limits this process: what Linux calls available, its control group and those around it (version 1 and 2), and
 * the limits of {@code ulimit}.
 */
public final class MemoryLimits {
    private final KernelFiles files;

    /** @param root of the files that tell, {@code /} on a real machine */
    MemoryLimits(Path root) {
        files = new KernelFiles(root);
    }

    public static MemoryLimits ofProcess() {
        return new MemoryLimits(Path.of("/"));
    }

    /** All that the system tells of. */
    public List<MemoryLimit> read() {
        List<MemoryLimit> limits = new ArrayList<>();
        long swap = files.kibibytes("proc/meminfo", "SwapFree").orElse(0);
        OptionalLong available = files.kibibytes("proc/meminfo", "MemAvailable");
        if (available.isPresent()) {
            limits.add(new MemoryLimit(
                    "this machine",
                    Kind.RESIDENT,
                    files.kibibytes("proc/meminfo", "MemTotal").orElse(available.getAsLong()),
                    available.getAsLong(),
                    swap));
        }
        limits.addAll(new ControlGroups(files).limits(swap));
        ulimit("-v", "Max address space", "VmSize").ifPresent(limits::add);
        ulimit("-d", "Max data size", "VmData").ifPresent(limits::add);
        return limits;
    }

    private Optional<MemoryLimit> ulimit(String option, String limit, String used) {
        OptionalLong most = files.ulimit(limit);
        OptionalLong taken = files.kibibytes("proc/self/status", used);
        if (most.isEmpty() || taken.isEmpty()) {
            return Optional.empty();
        }
        long free = Math.max(0, most.getAsLong() - taken.getAsLong());
        return Optional.of(new MemoryLimit("ulimit " + option, Kind.MAPPED, most.getAsLong(), free, 0));
    }

    /** How much memory this process may still take without swapping, in bytes; empty where the system does not tell. */
    public OptionalLong freeBytes() {
        return read().stream()
                .filter(limit -> limit.kind() == Kind.RESIDENT)
                .mapToLong(MemoryLimit::freeBytes)
                .min();
    }
}
