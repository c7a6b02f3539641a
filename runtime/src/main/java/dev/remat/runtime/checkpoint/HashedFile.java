package dev.remat.runtime.checkpoint;

import dev.remat.ir.io.FileProblem;
import dev.remat.ir.io.Sha256;
import dev.remat.ir.io.TemporaryFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;

/**
 * Size and content hash of a file.
 *
 * @param sha256 64 lower-case hexadecimal digits
 */
record HashedFile(long bytes, String sha256) {
    /** What a file is to contain. */
    @FunctionalInterface
    interface Content {
        void writeTo(WritableByteChannel channel) throws IOException;
    }

    /**
     * Fills a file, hashing on the way, and syncs it.
     *
     * @param folder of the file, which failures name
     */
    static HashedFile write(TemporaryFile file, Path folder, Content content) throws IOException {
        try {
            FileChannel channel = file.channel();
            MessageDigest digest = Sha256.digest();
            content.writeTo(new HashingChannel(channel, digest));
            channel.force(true);
            return new HashedFile(channel.size(), Sha256.hex(digest));
        } catch (IOException e) {
            throw FileProblem.named(folder, e);
        }
    }

    static HashedFile read(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            MessageDigest digest = Sha256.digest();
            ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
            long bytes = 0;
            while (channel.read(buffer) >= 0) {
                bytes += buffer.position();
                digest.update(buffer.flip());
                buffer.clear();
            }
            return new HashedFile(bytes, Sha256.hex(digest));
        }
    }

    private record HashingChannel(FileChannel channel, MessageDigest digest) implements WritableByteChannel {
        @Override
        public int write(ByteBuffer source) throws IOException {
            ByteBuffer copy = source.duplicate();
            int written = channel.write(source);
            digest.update(copy.limit(copy.position() + written));
            return written;
        }

        @Override
        public boolean isOpen() {
            return channel.isOpen();
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
