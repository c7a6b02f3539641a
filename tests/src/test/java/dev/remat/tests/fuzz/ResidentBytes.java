package dev.remat.tests.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The most memory that this process has had at once: its heap, arenas, and all else. */
final class ResidentBytes {
    private static final Path STATUS = Path.of("/proc/self/status");

    private ResidentBytes() {}

    static long most() {
        try {
            return Files.readAllLines(STATUS).stream()
                    .filter(line -> line.startsWith("VmHWM:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lets {@link #most} begin with what there is. */
    static void forget() {
        try {
            Files.writeString(Path.of("/proc/self/clear_refs"), "5");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
