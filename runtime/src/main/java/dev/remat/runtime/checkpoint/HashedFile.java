package dev.remat.runtime.checkpoint;

import dev.remat.ir.io.FileProblem;
import dev.remat.ir.io.Sha256;
import dev.remat.ir.io.TemporaryFile;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Size and content hashes of a file.
 *
 * @param blockBytes size of each block but the last
 * @param blocks SHA-256 of each, 64 lower-case hexadecimal digits; one of no bytes if the file is empty
 */
record HashedFile(long bytes, long blockBytes, List<String> blocks) {
    /** As files of state are cut: enough that few hashes describe them, and that several processors have work. */
    static final long BLOCK_BYTES = 64L << 20;
    /** Of a file that is hashed as a whole. */
    static final long UNCUT = Long.MAX_VALUE;

    private static final int PIECE_BYTES = 1 << 20;

    /** @throws IllegalArgumentException if a file of that size has another number of blocks, or one is no hash */
    HashedFile {
        blocks = List.copyOf(blocks);
        if (bytes < 0 || blockBytes < 1 || blocks.size() != count(bytes, blockBytes)) {
            throw new IllegalArgumentException(
                    blocks.size() + " hashes of " + bytes + " bytes in blocks of " + blockBytes);
        }
        for (String block : blocks) {
            if (!block.matches("[0-9a-f]{64}")) {
                throw new IllegalArgumentException("not a SHA-256: " + block);
            }
        }
    }

    /** How many blocks a file has. */
    static long count(long bytes, long blockBytes) {
        return Math.max(1, Math.ceilDiv(bytes, blockBytes));
    }

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
            HashingChannel hashing = new HashingChannel(channel);
            content.writeTo(hashing);
            channel.force(true);
            return new HashedFile(channel.size(), BLOCK_BYTES, hashing.blocks());
        } catch (IOException e) {
            throw FileProblem.named(folder, e);
        }
    }

    /**
     * Some blocks of a file, in their order.
     *
     * @param bytes of the whole file
     */
    record Part(long bytes, List<String> blocks) {}

    /** Hashes a file that is there, on all processors. */
    static HashedFile read(Path file, long blockBytes) throws IOException {
        Part all = read(file, blockBytes, _ -> true);
        return new HashedFile(all.bytes(), blockBytes, all.blocks());
    }

    /** Hashes some blocks of it. */
    static Part read(Path file, long blockBytes, IntPredicate which) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long bytes = channel.size();
            int count = Math.toIntExact(count(bytes, blockBytes));
            List<String> blocks = IntStream.range(0, count)
                    .filter(which)
                    .parallel()
                    .mapToObj(block -> {
                        try {
                            return block(channel, block, bytes, blockBytes);
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    })
                    .toList();
            return new Part(bytes, blocks);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** The hash of one block of a file that has so many bytes. */
    static String block(FileChannel channel, int block, long bytes, long blockBytes) throws IOException {
        MessageDigest digest = Sha256.digest();
        ByteBuffer buffer = ByteBuffer.allocateDirect(PIECE_BYTES);
        long begin = block * blockBytes;
        long end = begin + Math.min(blockBytes, bytes - begin);
        for (long at = begin; at < end; at += buffer.limit()) {
            buffer.clear().limit((int) Math.min(PIECE_BYTES, end - at));
            int read = channel.read(buffer, at);
            if (read < 0) {
                throw new EOFException("what is read was cut off while it was read");
            }
            digest.update(buffer.flip());
        }
        return Sha256.hex(digest);
    }

    /** Of all content: the hash of the only block, or that of all blocks' hashes, one after another. */
    String sha256() {
        if (blocks.size() == 1) {
            return blocks.getFirst();
        }
        MessageDigest digest = Sha256.digest();
        blocks.forEach(block -> digest.update(HexFormat.of().parseHex(block)));
        return Sha256.hex(digest);
    }

    /** The first block in which a file of the same size and blocks has other content. */
    OptionalInt differing(HashedFile other) {
        return IntStream.range(0, blocks.size())
                .filter(block -> !blocks.get(block).equals(other.blocks.get(block)))
                .findFirst();
    }

    /** Hashes what goes to a file, a block after another. */
    private static final class HashingChannel implements WritableByteChannel {
        private final FileChannel channel;
        private final MessageDigest digest = Sha256.digest();
        private final List<String> full = new ArrayList<>();
        /** Bytes of the block that is under way. */
        private long begun;

        HashingChannel(FileChannel channel) {
            this.channel = channel;
        }

        @Override
        public int write(ByteBuffer source) throws IOException {
            ByteBuffer copy = source.duplicate();
            int written = channel.write(source);
            int end = copy.position() + written;
            while (copy.position() < end) {
                if (begun == BLOCK_BYTES) {
                    full.add(Sha256.hex(digest));
                    begun = 0;
                }
                int next = (int) Math.min(end - copy.position(), BLOCK_BYTES - begun);
                digest.update(copy.limit(copy.position() + next));
                begun += next;
            }
            return written;
        }

        /** When all is written. */
        List<String> blocks() {
            full.add(Sha256.hex(digest));
            return full;
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
