package dev.remat.ir.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Writes files whole or not at all: beside their place, synced, then renamed over what was there. Whoever reads the
 * path at any moment, also after a power cut, sees the old content or the new. A symbolic link stays, and what it leads
 * to is replaced; a device or pipe is not a place for a file, and receives the content as it is. What a killed process
 * left beside the place, the next that writes there removes.
 */
public final class AtomicFile {
    private AtomicFile() {}

    /** What a file is to contain. */
    @FunctionalInterface
    public interface Content {
        void writeTo(FileChannel channel) throws IOException;
    }

    /**
     * Replaces or creates a file. If the content fails to be written, a file stays as it was.
     *
     * @throws NoSuchFileException if there is no folder to hold it
     * @throws FileSystemException if a folder is there, or the one around takes no file
     * @throws IOException if writing, syncing or renaming fails, for example on a full disk
     */
    public static void write(Path file, Content content) throws IOException {
        if (isStream(file)) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                fill(channel, content, file);
            }
            return;
        }
        Path target = LinkTarget.of(file.toAbsolutePath());
        Path temporary = temporary(target);
        AbandonedFiles.removeBeside(target);
        FileChannel channel = create(temporary, target);
        try (channel) {
            AbandonedFiles.claim(channel);
            fill(channel, content, file);
            channel.force(true);
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
        syncDirectory(target.getParent());
    }

    /** What the system says of a full disk does not name the file. */
    private static void fill(FileChannel channel, Content content, Path file) throws IOException {
        try {
            content.writeTo(channel);
        } catch (FileSystemException | ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    /** Replaces or creates a file with these bytes. */
    public static void write(Path file, byte[] content) throws IOException {
        write(file, channel -> {
            ByteBuffer buffer = ByteBuffer.wrap(content);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
        });
    }

    /**
     * Fails as {@link #write} would, as far as that can be told before there is content: for a check before long work.
     * Leaves nothing behind, and does not open a pipe, whose reader would take that for the whole.
     */
    public static void check(Path file) throws IOException {
        if (isStream(file)) {
            if (!Files.isWritable(file)) {
                throw new AccessDeniedException(file.toString());
            }
            return;
        }
        Path target = LinkTarget.of(file.toAbsolutePath());
        Path temporary = temporary(target);
        create(temporary, target).close();
        Files.delete(temporary);
    }

    /** Whether there is something that takes content without being replaced by it, such as {@code /dev/stdout}. */
    private static boolean isStream(Path file) {
        return Files.exists(file) && !Files.isRegularFile(file) && !Files.isDirectory(file);
    }

    /** What is to be renamed to {@code target}. */
    private static Path temporary(Path target) throws IOException {
        if (Files.isDirectory(target)) {
            throw new FileSystemException(target.toString(), null, "is a directory");
        }
        Path directory = target.getParent();
        if (!Files.isDirectory(directory)) {
            throw new NoSuchFileException(directory.toString());
        }
        return target.resolveSibling(AbandonedFiles.prefix(target) + writer() + ".tmp");
    }

    /** Tells this thread's temporary files from those of all others. */
    static String writer() {
        return ProcessHandle.current().pid() + "-" + Thread.currentThread().threadId();
    }

    /** Opens a temporary file; failures name what it is for, since nobody knows the file. */
    static FileChannel create(Path temporary, Path target) throws IOException {
        try {
            return FileChannel.open(
                    temporary,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING);
        } catch (AccessDeniedException e) {
            throw new AccessDeniedException(target.toString());
        } catch (FileSystemException e) {
            String reason = e.getReason() == null ? "cannot be created" : e.getReason();
            throw new FileSystemException(target.toString(), null, reason);
        }
    }

    /** Makes renames and deletions in a directory durable, where the platform can. */
    public static void syncDirectory(Path directory) throws IOException {
        if (directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }
}
