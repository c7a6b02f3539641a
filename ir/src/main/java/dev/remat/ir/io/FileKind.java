package dev.remat.ir.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** What may lie at a path. */
public enum FileKind {
    FILE(0100000, "a file"),
    FOLDER(0040000, "a folder"),
    LINK(0120000, "a link"),
    PIPE(0010000, "a pipe"),
    SOCKET(0140000, "a socket"),
    CHARACTER_DEVICE(0020000, "a device"),
    BLOCK_DEVICE(0060000, "a device");

    private static final int KIND = 0170000;

    private final int bits;
    private final String words;

    FileKind(int bits, String words) {
        this.bits = bits;
        this.words = words;
    }

    /**
     * Empty if nothing is there.
     *
     * @param options {@link LinkOption#NOFOLLOW_LINKS}, or a link is where it leads
     */
    public static Optional<FileKind> of(Path path, LinkOption... options) throws IOException {
        int mode;
        try {
            mode = (int) Files.getAttribute(path, "unix:mode", options);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        for (FileKind kind : values()) {
            if ((mode & KIND) == kind.bits) {
                return Optional.of(kind);
            }
        }
        throw new IllegalStateException(path + " is of no known kind: mode " + Integer.toOctalString(mode));
    }

    /** Such as "a pipe". */
    public String inWords() {
        return words;
    }
}
