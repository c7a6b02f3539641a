package dev.remat.ir.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Writes files whole or not at all: beside their place, synced, then renamed over what was there. Whoever reads the
 * path at any moment, also after a power cut, sees the old content or the new.
 */
public final class AtomicFile {
    private AtomicFile() {}

    /** What a file is to contain. */
    @FunctionalInterface
    public interface Content {
        void writeTo(FileChannel channel) throws IOException;
    }

    /**
     * Replaces or creates a file. If the content fails to be written, the file stays as it was.
     *
     * @throws NoSuchFileException if there is no folder to hold it
     * @throws IOException if writing, syncing or renaming fails, for example on a full disk
     */
    public static void write(Path file, Content content) throws IOException {
        Path target = file.toAbsolutePath();
        Path directory = target.getParent();
        if (Files.isDirectory(target)) {
            throw new FileSystemException(file.toString(), null, "is a directory");
        }
        if (!Files.isDirectory(directory)) {
            throw new NoSuchFileException(directory.toString());
        }
        String writer = ProcessHandle.current().pid() + "-" + Thread.currentThread().threadId();
        Path temporary = target.resolveSibling("." + target.getFileName() + "." + writer + ".tmp");
        try {
            try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE,
                    StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING)) {
                content.writeTo(channel);
                channel.force(true);
            }
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
        syncDirectory(directory);
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

    /** Makes renames and deletions in a directory durable, where the platform can. */
    public static void syncDirectory(Path directory) throws IOException {
        if (directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }
}
