package dev.remat.ir.io;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Checks before a file is read. */
public final class ReadableFile {
    /** Where a process finds what it was started with; a shell's {@code <(command)} is a path below the second. */
    private static final List<Path> OPEN = List.of(Path.of("/dev/stdin"), Path.of("/dev/fd"), Path.of("/proc/self/fd"));

    private ReadableFile() {}

    /**
     * Refuses what is no file: a folder, which can be opened but not read, and pipes and devices, whose end is unknown.
     *
     * @throws FileSystemException if it is there and one of these
     */
    public static void check(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new FileSystemException(file.toString(), null, "is a folder, not a file");
        }
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new FileSystemException(file.toString(), null, "is a pipe or device, not a file");
        }
    }

    /**
     * Refuses a pipe that somebody would first have to open at its other end, for what may also be read from standard
     * input or from a command's output.
     *
     * @throws FileSystemException if it is one, or a folder
     */
    public static void checkStream(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            check(file);
        }
        if (Files.exists(file) && OPEN.stream().noneMatch(file.toAbsolutePath().normalize()::startsWith)) {
            FileKind kind = FileKind.of(file).orElse(FileKind.FILE);
            if (kind == FileKind.PIPE || kind == FileKind.SOCKET) {
                throw new FileSystemException(
                        file.toString(), null, "is a pipe, not a file; a pipe is read as /dev/stdin");
            }
        }
    }
}
