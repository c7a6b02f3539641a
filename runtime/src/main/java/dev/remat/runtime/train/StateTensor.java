package dev.remat.runtime.train;

import dev.remat.ir.Dim;
import dev.remat.ir.Initializer;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.ShareOf;
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
import java.util.Optional;
import java.util.function.DoublePredicate;

/**
 * A tensor that outlives a step, where executables have it: in the arena or below, in one piece, some rows here and
 * some there, or shared by ranks; until the next run.
 *
 * @param tensorType of the whole
 * @param location where the model says what it is
 * @param stretches that follow one another
 */
record StateTensor(
        String name,
        InputKind kind,
        TensorType tensorType,
        Initializer initializer,
        Location location,
        List<StateStretch> stretches)
        implements StreamedTensor {
    StateTensor {
        stretches = List.copyOf(stretches);
    }

    /** @param pieces the tensor itself, or rows of it that follow one another */
    static StateTensor of(Executable executable, List<ArenaTensor> pieces) {
        ArenaTensor first = pieces.getFirst();
        return new StateTensor(
                first.whole(),
                first.kind(),
                whole(pieces),
                first.initializer(),
                first.location(),
                pieces.stream()
                        .map(piece -> StateStretch.all(executable, piece))
                        .toList());
    }

    /** The type of the tensor of which these are all rows. */
    static TensorType whole(List<ArenaTensor> pieces) {
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

    /**
     * One of those that ranks share.
     *
     * @param ranks by number
     * @param pieces of the share that each has, in the same places everywhere
     */
    static StateTensor shared(List<Executable> ranks, List<ArenaTensor> pieces, ShareOf.Part part) {
        List<StateStretch> stretches = new ArrayList<>();
        long at = 0;
        for (Executable rank : ranks) {
            for (ArenaTensor piece : pieces) {
                long end = at + piece.type().elements();
                long from = Math.max(at, part.first());
                long to = Math.min(end, part.end());
                if (from < to) {
                    stretches.add(new StateStretch(rank, piece, from - at, to - from));
                }
                at = end;
            }
        }
        return new StateTensor(
                part.tensor(), pieces.getFirst().kind(), part.type(), part.initializer(), part.location(), stretches);
    }

    /** Whether ranks have shares of it. */
    boolean isShared() {
        return stretches.getFirst().tensor().share().isPresent();
    }

    /** Whether it is what an optimizer keeps, an average included, and no part of the model. */
    boolean isOfOptimizer() {
        return kind == InputKind.STATE && ExecutionPlan.isOfOptimizer(name);
    }

    @Override
    public StoredType type() {
        return StoredType.of(tensorType.dtype());
    }

    @Override
    public List<Long> shape() {
        return ArenaTensors.shape(tensorType);
    }

    @Override
    public long byteSize() {
        return tensorType.bytes();
    }

    @Override
    public void stream(Sink sink) throws IOException {
        for (StateStretch stretch : stretches) {
            stretch.stream(sink);
        }
    }

    @Override
    public void streamPart(int process, int processes, PlacedSink sink) throws IOException {
        long before = 0;
        for (StateStretch stretch : stretches) {
            Optional<StateStretch> part = isShared() ? stretch.here() : stretch.part(process, processes);
            if (part.isPresent()) {
                part.get().stream(before, stretch.from(), sink);
            }
            before += stretch.bytes();
        }
    }

    /** Whether it is of floats and has such an element in this process. */
    boolean anyHere(DoublePredicate predicate) {
        boolean[] found = {false};
        try {
            for (StateStretch stretch : stretches) {
                Optional<StateStretch> here = stretch.here();
                if (here.isPresent()) {
                    here.get().stream(
                            piece -> found[0] = found[0] || Scalars.any(piece, tensorType.dtype(), predicate));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found[0];
    }

    /** Writes all of it. */
    void fill(ArenaTensors.Fill values) {
        long before = 0;
        for (StateStretch stretch : stretches) {
            stretch.fill(values, before);
            before += stretch.elements();
        }
    }

    /** @param stored one that fits */
    void write(StoredTensor stored) {
        fill(ArenaTensors.of(stored, tensorType.dtype()));
    }

    /** All of it at once: a view of the arena, or a copy of what lives below or apart. */
    StoredTensor whole() {
        StateStretch first = stretches.getFirst();
        if (stretches.size() == 1 && first.isAll() && first.tensor().isInArena()) {
            return ArenaTensors.read(
                    first.executable(), name, tensorType, first.tensor().offset());
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
        return new StoredTensor(name, type(), shape(), copy);
    }
}
