package dev.remat.runtime.train;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.StreamedTensor.PlacedSink;
import dev.remat.runtime.io.StreamedTensor.Sink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Elements of a tensor that outlives steps, as far as they lie one behind the other.
 *
 * @param executable that has them
 * @param tensor that they are part of there
 * @param from the first of them in it
 */
record StateStretch(Executable executable, ArenaTensor tensor, long from, long elements) {
    /** All of a tensor. */
    static StateStretch all(Executable executable, ArenaTensor tensor) {
        return new StateStretch(executable, tensor, 0, tensor.type().elements());
    }

    boolean isAll() {
        return elements == tensor.type().elements();
    }

    /** What of it is in this process. */
    Optional<StateStretch> here() {
        return executable.here(tensor).map(here -> new StateStretch(here, tensor, from, elements));
    }

    /** What of it one of so many processes is to write, those that have it parts of equal length, nearly. */
    Optional<StateStretch> part(int process, int processes) {
        int parts = processes / executable.stages();
        int number = process % parts;
        long begin = elements * number / parts;
        long end = elements * (number + 1) / parts;
        return executable.here(tensor).map(here -> new StateStretch(here, tensor, from + begin, end - begin));
    }

    long bytes() {
        return elements * width();
    }

    private int width() {
        return tensor.type().dtype().bytes();
    }

    /** A part of the tensor that is read or written at once, and what of it is in the stretch. */
    private record Piece(long at, long bytes, long begin, long end) {
        boolean isWhole() {
            return begin == at && end == at + bytes;
        }
    }

    @FunctionalInterface
    private interface Each {
        void take(Piece piece) throws IOException;
    }

    private void each(Each each) throws IOException {
        long begin = from * width();
        long end = begin + elements * width();
        long bytes = tensor.type().bytes();
        for (long at = begin - begin % Executable.PIECE_BYTES; at < end; at += Executable.PIECE_BYTES) {
            long length = Math.min(Executable.PIECE_BYTES, bytes - at);
            each.take(new Piece(at, length, Math.max(at, begin), Math.min(at + length, end)));
        }
    }

    private MemorySegment read(Piece piece) {
        return executable
                .read(tensor, piece.at(), piece.bytes())
                .asSlice(piece.begin() - piece.at(), piece.end() - piece.begin());
    }

    void stream(Sink sink) throws IOException {
        each(piece -> sink.take(read(piece)));
    }

    /** @param before bytes of the whole tensor in front of element {@code first} of the one that this is part of */
    void stream(long before, long first, PlacedSink sink) throws IOException {
        each(piece -> sink.take(before + piece.begin() - first * width(), read(piece)));
    }

    /**
     * Where it is in this process.
     *
     * @param first element that it begins with, of what {@code values} fills
     */
    void fill(ArenaTensors.Fill values, long first) {
        executable.here(tensor).ifPresent(here -> fill(here, values, first));
    }

    private void fill(Executable here, ArenaTensors.Fill values, long first) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment room = arena.allocate(Math.min(tensor.type().bytes(), Executable.PIECE_BYTES), Long.BYTES);
            each(piece -> {
                MemorySegment whole = room.asSlice(0, piece.bytes());
                if (!piece.isWhole()) {
                    // What lives below is written in whole blocks.
                    whole.copyFrom(here.read(tensor, piece.at(), piece.bytes()));
                }
                MemorySegment own = whole.asSlice(piece.begin() - piece.at(), piece.end() - piece.begin());
                values.fill(first + piece.begin() / width() - from, own);
                here.write(tensor, piece.at(), whole);
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
