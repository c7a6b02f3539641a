package dev.remat.cli.command;

import dev.remat.ir.io.AtomicFile;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The file that {@code -o} names. */
final class ResultFile {
    private ResultFile() {}

    /**
     * For a check before any work.
     *
     * @param result null if there is none to write
     * @param read files that the command reads
     * @throws FileSystemException if the result could not be written, or would replace what is read
     */
    static void check(Path result, Path... read) throws IOException {
        if (result == null) {
            return;
        }
        for (Path file : read) {
            // A terminal may be both, as /dev/stdin and /dev/stdout.
            if (Files.isRegularFile(result) && Files.exists(file) && Files.isSameFile(result, file)) {
                throw new FileSystemException(
                        result.toString(), null, "is what is read and would be replaced; name another file with -o");
            }
        }
        AtomicFile.check(result);
    }
}
