package dev.remat.ir.io;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where symbolic links lead, also to a place where nothing is yet. */
public final class LinkTarget {
    /** Links in a row that Linux follows. */
    private static final int MOST_LINKS = 40;

    private LinkTarget() {}

    /**
     * The path itself if it is no link.
     *
     * @throws FileSystemException if links lead in a circle
     */
    public static Path of(Path path) throws IOException {
        Path target = path;
        for (int links = 0; Files.isSymbolicLink(target); links++) {
            if (links == MOST_LINKS) {
                throw new FileSystemException(path.toString(), null, "is a link that leads nowhere");
            }
            target = target.resolveSibling(Files.readSymbolicLink(target));
        }
        return target;
    }
}
