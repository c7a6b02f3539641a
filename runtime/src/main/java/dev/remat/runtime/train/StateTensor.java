package dev.remat.runtime.train;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.InputKind;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import dev.remat.runtime.io.StreamedTensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoublePredicate;

/**
 * A tensor that outlives a step, where an executable has it: in the arena or below, in one piece or some rows here and
 * some there; until the next run.
 *
 * @param pieces the tensor itself, or rows of it that follow one another
 */
record StateTensor(Executable executable, List<ArenaTensor> pieces) implements StreamedTensor {
    StateTensor {
        pieces = List.copyOf(pieces);
    }

    @Override
    public String name() {
        return pieces.getFirst().whole();
    }

    InputKind kind() {
        return pieces.getFirst().kind();
    }

    /** Whether it is what an optimizer keeps, an average included, and no part of the model. */
    boolean isOfOptimizer() {
        return kind() == InputKind.STATE && ExecutionPlan.isOfOptimizer(name());
    }

    /** Type of the whole. */
    TensorType tensorType() {
        TensorType first = pieces.getFirst().type();
        if (pieces.getFirst().rows().isEmpty()) {
            return first;
        }
        List<Dim> dims = new ArrayList<>(first.shape().dims());
        dims.set(
                0,
                Dim.of(pieces.stream()
                        .mapToLong(piece -> piece.type().dim(0).value())
                        .sum()));
        return new TensorType(first.dtype(), new Shape(dims));
    }

    /** Where the model says what it is. */
    Location location() {
        return pieces.getFirst().location();
    }

    @Override
    public StoredType type() {
        return StoredType.of(tensorType().dtype());
    }

    @Override
    public List<Long> shape() {
        return ArenaTensors.shape(tensorType());
    }

    @Override
    public long byteSize() {
        return tensorType().bytes();
    }

    @Override
    public void stream(Sink sink) throws IOException {
        for (ArenaTensor piece : pieces) {
            long bytes = piece.type().bytes();
            for (long at = 0; at < bytes; at += Executable.PIECE_BYTES) {
                sink.take(executable.read(piece, at, Math.min(Executable.PIECE_BYTES, bytes - at)));
            }
        }
    }

    /** Whether it is of floats and has such an element. */
    boolean any(DoublePredicate predicate) {
        return pieces.stream().anyMatch(piece -> ArenaTensors.any(executable, piece, predicate));
    }

    /** Writes all of it. */
    void fill(ArenaTensors.Fill values) {
        long before = 0;
        for (ArenaTensor piece : pieces) {
            long begin = before;
            ArenaTensors.fill(executable, piece, (first, into) -> values.fill(begin + first, into));
            before += piece.type().elements();
        }
    }

    /** @param stored one that fits */
    void write(StoredTensor stored) {
        fill(ArenaTensors.of(stored, tensorType().dtype()));
    }

    /** All of it at once: a view of the arena, or a copy of what lives below or apart. */
    StoredTensor whole() {
        ArenaTensor first = pieces.getFirst();
        if (pieces.size() == 1 && first.isInArena()) {
            return ArenaTensors.read(executable, name(), first.type(), first.offset());
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
