package dev.remat.runtime.io;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.List;

/** A named tensor as files hold it, whose bytes come in pieces, so that they need not be in memory at once. */
public interface StreamedTensor {
    /** Takes the bytes of a tensor, each piece in turn. */
    @FunctionalInterface
    interface Sink {
        /** @param piece whole elements; valid during the call alone */
        void take(MemorySegment piece) throws IOException;
    }

    /** Takes bytes of a tensor. */
    @FunctionalInterface
    interface PlacedSink {
        /**
         * @param at byte of the tensor at which the piece begins
         * @param piece whole elements; valid during the call alone
         */
        void take(long at, MemorySegment piece) throws IOException;
    }

    String name();

    StoredType type();

    /** Extents, empty for a scalar. */
    List<Long> shape();

    /** Size of all its bytes. */
    long byteSize();

    /** Gives all bytes in order: little-endian, row-major, dense. */
    void stream(Sink sink) throws IOException;

    /**
     * Gives what one of several processes is to write, which together write all bytes: each what it has, or its part of
     * what all have. By default the first has all.
     */
    default void streamPart(int process, int processes, PlacedSink sink) throws IOException {
        if (process == 0) {
            long[] at = {0};
            stream(piece -> {
                sink.take(at[0], piece);
                at[0] += piece.byteSize();
            });
        }
    }

    /** Writes all bytes in order. */
    default void writeTo(WritableByteChannel out) throws IOException {
        stream(piece -> {
            ByteBuffer bytes = piece.asByteBuffer();
            while (bytes.hasRemaining()) {
                out.write(bytes);
            }
        });
    }
}
