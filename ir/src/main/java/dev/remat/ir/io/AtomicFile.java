package dev.remat.ir.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
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
     * @param file which the user has named: links are followed
     * @throws NoSuchFileException if there is no folder to hold it
     * @throws FileSystemException if a folder is there, or the one around takes no file
     * @throws IOException if writing, syncing or renaming fails, for example on a full disk
     */
    public static void write(Path file, Content content) throws IOException {
        write(file, content, () -> {});
    }

    /**
     * Replaces or creates two files that belong together: if the content of one fails to be written, both stay as they
     * were. Whoever sees the first sees the second.
     */
    public static void writeBoth(Path first, Content firstContent, Path second, Content secondContent)
            throws IOException {
        write(first, firstContent, () -> write(second, secondContent));
    }

    /** What is done before a file takes its place. */
    @FunctionalInterface
    private interface Before {
        void run() throws IOException;
    }

    private static void write(Path file, Content content, Before before) throws IOException {
        if (isStream(file)) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                fill(channel, content, file);
            }
            before.run();
            return;
        }
        write(LinkTarget.of(file.toAbsolutePath()), content, file, before);
    }

    /**
     * Replaces or creates a file of a name that the user has not chosen, in a folder that others may write to: a link
     * or pipe of that name is itself replaced.
     */
    public static void writeOwn(Path file, byte[] content) throws IOException {
        write(file.toAbsolutePath(), bytes(content), file, () -> {});
    }

    private static void write(Path target, Content content, Path named, Before before) throws IOException {
        checkPlace(target);
        AbandonedFiles.removeBeside(target);
        try (TemporaryFile fresh = TemporaryFile.beside(target)) {
            fill(fresh.channel(), whole(content), named);
            before.run();
            fresh.move(target);
        }
        syncDirectory(target.getParent());
    }

    private static Content whole(Content content) {
        return channel -> {
            try (SyncAlongside _ = SyncAlongside.of(channel)) {
                content.writeTo(channel);
            }
            channel.force(true);
        };
    }

    private static void fill(FileChannel channel, Content content, Path file) throws IOException {
        try {
            content.writeTo(channel);
        } catch (IOException e) {
            throw FileProblem.named(file, e);
        }
    }

    /** Replaces or creates a file with these bytes. */
    public static void write(Path file, byte[] content) throws IOException {
        write(file, bytes(content));
    }

    /** These bytes. */
    public static Content bytes(byte[] content) {
        return channel -> {
            ByteBuffer buffer = ByteBuffer.wrap(content);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
        };
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
        checkPlace(target);
        TemporaryFile.beside(target).close();
    }

    /** Whether there is something that takes content without being replaced by it, such as {@code /dev/stdout}. */
    private static boolean isStream(Path file) {
        return Files.exists(file) && !Files.isRegularFile(file) && !Files.isDirectory(file);
    }

    private static void checkPlace(Path target) throws IOException {
        if (Files.isDirectory(target)) {
            throw new FileSystemException(target.toString(), null, "is a directory");
        }
        Path directory = target.getParent();
        if (!Files.isDirectory(directory)) {
            throw new NoSuchFileException(directory.toString());
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
