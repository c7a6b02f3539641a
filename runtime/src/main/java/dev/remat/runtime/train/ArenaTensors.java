package dev.remat.runtime.train;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.ElementConversion;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoublePredicate;

/** Moves tensors between files and an arena, or the places below it. */
final class ArenaTensors {
    /** Fills a piece of a tensor, from element {@code first} on. */
    @FunctionalInterface
    interface Fill {
        void fill(long first, MemorySegment piece);
    }

    private ArenaTensors() {}

    static List<Long> shape(TensorType type) {
        return Arrays.stream(type.shape().toArray()).boxed().toList();
    }

    /** A dense tensor of the arena under a name; its bytes are valid until the next run or write. */
    static StoredTensor read(Executable executable, String name, TensorType type, long offset) {
        MemorySegment data = executable.read(offset, type.bytes());
        return new StoredTensor(name, StoredType.of(type.dtype()), shape(type), data);
    }

    /** @throws dev.remat.runtime.io.DataException if the shape is another or the elements cannot be converted */
    static void write(Executable executable, ArenaTensor tensor, StoredTensor stored) {
        stored.require(tensor.type());
        fill(executable, tensor, of(stored, tensor.type().dtype()));
    }

    /** The elements of a tensor of a file, converted. */
    static Fill of(StoredTensor stored, DType dtype) {
        return (first, piece) ->
                ElementConversion.copy(stored, first, piece.byteSize() / dtype.bytes(), dtype, piece, 0);
    }

    /** Whether a tensor is of floats and has such an element. */
    static boolean any(Executable executable, ArenaTensor tensor, DoublePredicate predicate) {
        long bytes = tensor.type().bytes();
        boolean found = false;
        for (long at = 0; at < bytes && !found; at += Executable.PIECE_BYTES) {
            long piece = Math.min(Executable.PIECE_BYTES, bytes - at);
            found = Scalars.any(
                    executable.read(tensor, at, piece), tensor.type().dtype(), predicate);
        }
        return found;
    }

    /** Writes a tensor piece by piece. */
    static void fill(Executable executable, ArenaTensor tensor, Fill values) {
        long bytes = tensor.type().bytes();
        int width = tensor.type().dtype().bytes();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment whole = arena.allocate(Math.min(bytes, Executable.PIECE_BYTES), Long.BYTES);
            for (long at = 0; at < bytes; at += Executable.PIECE_BYTES) {
                MemorySegment piece = whole.asSlice(0, Math.min(bytes - at, Executable.PIECE_BYTES));
                values.fill(at / width, piece);
                executable.write(tensor, at, piece);
            }
        }
    }
}
