package dev.remat.ir.io;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A file that was not there before, beside the place that it is to take; gone when closed unless it has taken one. Its
 * name can be guessed, and others may write to the folder: whatever lies there of that name, a link above all, is left
 * alone, and another name is taken.
 */
public final class TemporaryFile implements AutoCloseable {
    /** Names that are tried, of which one is usual. */
    private static final int MOST_NAMES = 100;

    private final Path path;
    private final FileChannel channel;
    private boolean moved;

    private TemporaryFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /**
     * Creates one, empty.
     *
     * @param target what the file may become later; failures name it, since nobody knows the temporary file
     * @throws FileSystemException if its folder takes no file of such a name
     */
    public static TemporaryFile beside(Path target) throws IOException {
        return create(target.toAbsolutePath().getParent(), AbandonedFiles.prefix(target), target);
    }

    /** Creates one in a folder, for no certain place. */
    static TemporaryFile in(Path folder) throws IOException {
        return create(folder, ".", folder);
    }

    private static TemporaryFile create(Path folder, String prefix, Path named) throws IOException {
        for (int attempt = 0; attempt < MOST_NAMES; attempt++) {
            Path path = folder.resolve(prefix + AbandonedFiles.writer(attempt) + ".tmp");
            try {
                FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
                AbandonedFiles.claim(channel);
                return new TemporaryFile(path, channel);
            } catch (FileAlreadyExistsException e) {
                // An earlier process of this number may have left it, as in containers, which count from 1.
                AbandonedFiles.remove(path);
            } catch (AccessDeniedException e) {
                throw new AccessDeniedException(named.toString());
            } catch (FileSystemException e) {
                String reason = e.getReason() == null ? "cannot be created" : e.getReason();
                throw new FileSystemException(named.toString(), null, reason);
            }
        }
        throw new FileSystemException(
                named.toString(),
                null,
                "cannot be written: files such as " + prefix + AbandonedFiles.writer(0)
                        + ".tmp are in its way; remove them");
    }

    /** Where it is until it takes a place. */
    public Path path() {
        return path;
    }

    /** For writing. */
    public FileChannel channel() {
        return channel;
    }

    /** Takes a place in the same folder, and whatever is there goes. A link there is itself replaced. */
    public void move(Path target) throws IOException {
        Files.move(path, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        moved = true;
    }

    @Override
    public void close() throws IOException {
        try (channel) {
            if (!moved) {
                Files.deleteIfExists(path);
            }
        }
    }
}
