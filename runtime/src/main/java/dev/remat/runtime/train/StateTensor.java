package dev.remat.runtime.train;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import dev.remat.runtime.io.StreamedTensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.DoublePredicate;

/** A tensor that outlives a step, where an executable has it: in the arena or below; until the next run. */
record StateTensor(Executable executable, ArenaTensor tensor) implements StreamedTensor {
    @Override
    public String name() {
        return tensor.name();
    }

    @Override
    public StoredType type() {
        return StoredType.of(tensor.type().dtype());
    }

    @Override
    public List<Long> shape() {
        return ArenaTensors.shape(tensor.type());
    }

    @Override
    public long byteSize() {
        return tensor.type().bytes();
    }

    @Override
    public void stream(Sink sink) throws IOException {
        for (long at = 0; at < byteSize(); at += Executable.PIECE_BYTES) {
            sink.take(executable.read(tensor, at, Math.min(Executable.PIECE_BYTES, byteSize() - at)));
        }
    }

    /** Whether it is of floats and has such an element. */
    boolean any(DoublePredicate predicate) {
        boolean found = false;
        for (long at = 0; at < byteSize() && !found; at += Executable.PIECE_BYTES) {
            long bytes = Math.min(Executable.PIECE_BYTES, byteSize() - at);
            found = Scalars.any(
                    executable.read(tensor, at, bytes), tensor.type().dtype(), predicate);
        }
        return found;
    }

    /** All of it at once: a view of the arena, or a copy of what lives below. */
    StoredTensor whole() {
        if (tensor.isInArena()) {
            return ArenaTensors.read(executable, name(), tensor.type(), tensor.offset());
        }
        MemorySegment copy = Arena.ofAuto().allocate(byteSize(), Long.BYTES);
        long[] at = {0};
        try {
            stream(piece -> {
                MemorySegment.copy(piece, 0, copy, at[0], piece.byteSize());
                at[0] += piece.byteSize();
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new StoredTensor(name(), type(), shape(), copy);
    }
}
