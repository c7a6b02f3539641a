package dev.remat.cli.console;

import dev.remat.ir.io.AtomicFile;
import dev.remat.ir.io.LinkTarget;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that a command writes, such as {@code -o} names. */
public final class ResultFile {
    private ResultFile() {}

    /**
     * For a check before any work.
     *
     * @param result null if there is none to write
     * @param read files that the command reads, and folders of them; null where there is none
     * @throws FileSystemException if the result could not be written, would replace what is read, or would lie in a
     *     folder that is
     */
    public static void check(Path result, Path... read) throws IOException {
        if (result == null) {
            return;
        }
        for (Path place : read) {
            // A terminal may be both, as /dev/stdin and /dev/stdout.
            if (place != null
                    && Files.isRegularFile(result)
                    && Files.exists(place)
                    && Files.isSameFile(result, place)) {
                throw new FileSystemException(
                        result.toString(), null, "is what is read and would be replaced; name another file");
            }
            if (place != null && Files.isDirectory(place) && isBelow(place, result)) {
                throw new FileSystemException(
                        result.toString(), null, "lies in " + place + ", which is read; name another place with -o");
            }
        }
        AtomicFile.check(result);
    }

    private static boolean isBelow(Path folder, Path result) throws IOException {
        Path around = LinkTarget.of(result.toAbsolutePath()).getParent();
        return around != null
                && Files.isDirectory(around)
                && around.toRealPath().startsWith(folder.toRealPath());
    }
}
