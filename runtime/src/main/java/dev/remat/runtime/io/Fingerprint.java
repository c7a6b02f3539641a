package dev.remat.runtime.io;

import dev.remat.ir.io.Sha256;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * A hash of data that may be too large to be read for that alone: of what is longer than 64 MiB, of blocks at even
 * distances that together are as long, the first and the last among them.
 */
public final class Fingerprint {
    private static final long BLOCK_BYTES = 1 << 16;
    private static final long MOST_BLOCKS = 1 << 10;
    /** Enough to tell data sets apart. */
    private static final int DIGITS = 16;

    private final MessageDigest digest = Sha256.digest();

    public Fingerprint add(String text) {
        digest.update((text + "\n").getBytes(StandardCharsets.UTF_8));
        return this;
    }

    public Fingerprint add(MemorySegment data) {
        add(String.valueOf(data.byteSize()));
        long blocks = Math.min(MOST_BLOCKS, Math.ceilDiv(data.byteSize(), BLOCK_BYTES));
        for (long block = 0; block < blocks; block++) {
            boolean whole = data.byteSize() <= MOST_BLOCKS * BLOCK_BYTES;
            long last = data.byteSize() - BLOCK_BYTES;
            long from = whole ? block * BLOCK_BYTES : (long) ((double) last / (MOST_BLOCKS - 1) * block);
            ByteBuffer bytes = data.asSlice(from, Math.min(BLOCK_BYTES, data.byteSize() - from))
                    .asByteBuffer();
            digest.update(bytes);
        }
        return this;
    }

    /** Hexadecimal digits. */
    public String text() {
        return Sha256.hex(digest).substring(0, DIGITS);
    }
}
