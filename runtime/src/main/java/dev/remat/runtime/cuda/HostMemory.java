package dev.remat.runtime.cuda;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How much of the host's memory a process may still take: what Linux calls available, and in a container no more than
 * is left of its limit. What caches hold counts as free, since it is given back when memory is needed.
 */
final class HostMemory {
    private static final Pattern AVAILABLE = Pattern.compile("^MemAvailable: +([0-9]+) kB$", Pattern.MULTILINE);
    private static final Pattern CACHED = Pattern.compile("^inactive_file ([0-9]+)$", Pattern.MULTILINE);

    private final Path root;

    /** @param root of the files that tell, {@code /} on a real machine */
    HostMemory(Path root) {
        this.root = root;
    }

    /** Bytes; empty where the system does not tell. */
    OptionalLong freeBytes() {
        OptionalLong available = number(read("proc/meminfo"), AVAILABLE);
        OptionalLong left = left("sys/fs/cgroup/", "memory.max", "memory.current");
        if (left.isEmpty()) {
            left = left("sys/fs/cgroup/memory/", "memory.limit_in_bytes", "memory.usage_in_bytes");
        }
        long kibibytes = available.orElse(Long.MAX_VALUE >> 10);
        long free = Math.min(kibibytes << 10, left.orElse(Long.MAX_VALUE));
        return available.isEmpty() && left.isEmpty() ? OptionalLong.empty() : OptionalLong.of(free);
    }

    /** What is left of a control group's limit; empty where it has none. */
    private OptionalLong left(String group, String limit, String used) {
        Pattern whole = Pattern.compile("^([0-9]+)$", Pattern.MULTILINE);
        OptionalLong most = number(read(group + limit), whole);
        OptionalLong taken = number(read(group + used), whole);
        if (most.isEmpty() || taken.isEmpty()) {
            return OptionalLong.empty();
        }
        long cached = number(read(group + "memory.stat"), CACHED).orElse(0);
        return OptionalLong.of(Math.max(0, most.getAsLong() - Math.max(0, taken.getAsLong() - cached)));
    }

    private static OptionalLong number(Optional<String> text, Pattern pattern) {
        return text.map(pattern::matcher)
                .filter(Matcher::find)
                .map(found -> OptionalLong.of(Long.parseLong(found.group(1))))
                .orElse(OptionalLong.empty());
    }

    private Optional<String> read(String file) {
        try {
            return Optional.of(Files.readString(root.resolve(file)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
