package dev.remat.runtime.log;

import dev.remat.ir.io.FileProblem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file that grows by whole pieces, each of which others can read as soon as it is there. */
final class AppendedFile implements AutoCloseable {
    private final Path file;
    private final FileChannel channel;

    private AppendedFile(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /** @throws FileAlreadyExistsException if something is there */
    static AppendedFile create(Path file) throws IOException {
        return new AppendedFile(file, FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
    }

    /** Goes on behind what a file holds, which is no link. */
    static AppendedFile behind(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        channel.position(channel.size());
        return new AppendedFile(file, channel);
    }

    /**
     * Adds a piece in one write, so that a killed process leaves all of it or nothing.
     *
     * @throws IOException if the file does not take it, as on a full disk; then nothing of it stays
     */
    void append(byte[] piece) throws IOException {
        long before = channel.position();
        ByteBuffer rest = ByteBuffer.wrap(piece);
        try {
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
        } catch (IOException e) {
            IOException named = FileProblem.named(file, e);
            try {
                channel.truncate(before);
            } catch (IOException second) {
                named.addSuppressed(second);
            }
            throw named;
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
