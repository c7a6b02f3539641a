package dev.remat.runtime.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the kernel tells in files of text. */
final class KernelFiles {
    private static final int KIBIBYTE_BITS = 10;

    private final Path root;

    KernelFiles(Path root) {
        this.root = root;
    }

    /** Without lines where there is no such file, or it may not be read. */
    List<String> lines(String file) {
        try {
            return Files.readAllLines(root.resolve(file));
        } catch (IOException e) {
            return List.of();
        }
    }

    /** A file of one number; empty where it says {@code max}, or is not there. */
    OptionalLong number(String file) {
        return find(file, "([0-9]+)");
    }

    /** A line such as {@code inactive_file 4096}. */
    OptionalLong field(String file, String name) {
        return find(file, Pattern.quote(name) + " ([0-9]+)");
    }

    /** A line such as {@code VmRSS:   100 kB}, in bytes. */
    OptionalLong kibibytes(String file, String name) {
        OptionalLong kibibytes = find(file, Pattern.quote(name) + ":\\s+([0-9]+) kB");
        return kibibytes.isEmpty() ? kibibytes : OptionalLong.of(kibibytes.getAsLong() << KIBIBYTE_BITS);
    }

    /** The soft limit in bytes; empty where there is none. */
    OptionalLong ulimit(String name) {
        return find("proc/self/limits", Pattern.quote(name) + "\\s+([0-9]+)\\s.*");
    }

    private OptionalLong find(String file, String line) {
        Pattern pattern = Pattern.compile(line);
        for (String each : lines(file)) {
            Matcher matcher = pattern.matcher(each);
            if (matcher.matches()) {
                return OptionalLong.of(Long.parseLong(matcher.group(1)));
            }
        }
        return OptionalLong.empty();
    }
}
