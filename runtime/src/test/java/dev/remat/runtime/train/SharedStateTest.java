package dev.remat.runtime.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.RowsOf;
import dev.remat.ir.graph.ShareOf;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Two ranks with shares of 8 elements, in rows of 3 and 5: tensors of 6 elements at 0 and of 7 at 8 lie in them, and
 * each has a whole one of 2.
 */
class SharedStateTest {
    private static final ShareOf SHARE = new ShareOf(List.of(part("a", 6, 1, 0), part("b", 7, 2, 8)));

    private static ShareOf.Part part(String name, long elements, double start, long first) {
        TensorType type = TensorType.of(DType.F32, elements);
        return new ShareOf.Part(name, type, new Initializer.Constant(start), Location.NONE, first);
    }

    private static ArenaTensor rows(int value, long from, long count) {
        return new ArenaTensor(
                value,
                "own[" + from + "]",
                TensorType.of(DType.F32, count),
                InputKind.STATE,
                Initializer.ZEROS,
                ArenaTensor.ARENA,
                4 * from,
                Location.NONE,
                Optional.of(new RowsOf("own", from)),
                Optional.of(SHARE));
    }

    private static final ExecutionPlan PLAN = new ExecutionPlan(
            "Shared",
            "00",
            "toy",
            1,
            40,
            List.of(
                    rows(0, 0, 3),
                    rows(1, 3, 5),
                    new ArenaTensor(
                            2,
                            "whole",
                            TensorType.of(DType.F32, 2),
                            InputKind.PARAMETER,
                            new Initializer.Constant(3),
                            32,
                            Location.NONE)),
            List.of(),
            List.of());

    /** Memory alone. */
    private static class Rank implements Executable {
        final MemorySegment arena = Arena.ofAuto().allocate(40, 8).fill((byte) -1);

        @Override
        public ExecutionPlan plan() {
            return PLAN;
        }

        @Override
        public void run(long step, int microBatch, int from, int to) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void write(long offset, MemorySegment source) {
            MemorySegment.copy(source, 0, arena, offset, source.byteSize());
        }

        @Override
        public MemorySegment read(long offset, long bytes) {
            return arena.asSlice(offset, bytes);
        }

        @Override
        public long highWaterBytes() {
            return 40;
        }

        @Override
        public Executable loadBeside(ExecutionPlan other) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Executable loadWithin(ExecutionPlan other) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}

        float[] floats() {
            return arena.toArray(ValueLayout.JAVA_FLOAT);
        }
    }

    /** Writes to both, reads from the first. */
    private static final class Both extends Rank {
        final List<Rank> ranks = List.of(new Rank(), new Rank());

        @Override
        public List<Executable> ranks() {
            return List.copyOf(ranks);
        }

        @Override
        public void write(long offset, MemorySegment source) {
            ranks.forEach(rank -> rank.write(offset, source));
        }

        @Override
        public MemorySegment read(long offset, long bytes) {
            return ranks.getFirst().read(offset, bytes);
        }
    }

    /** By hand: a is all on the first rank, b all on the second; what is between is filled up with zeros. */
    @Test
    void eachRankHasItsShareAndTheStateHasWholes() {
        Both both = new Both();
        TrainingState state = new TrainingState(both);
        state.initialize();
        assertThat(state.names()).containsExactly("a", "b", "whole");
        assertThat(both.ranks.get(0).floats()).containsExactly(1, 1, 1, 1, 1, 1, 0, 0, 3, 3);
        assertThat(both.ranks.get(1).floats()).containsExactly(2, 2, 2, 2, 2, 2, 2, 0, 3, 3);

        float[] counted = {10, 11, 12, 13, 14, 15, 16};
        assertThat(state.load(List.of(stored("b", counted))).names()).containsExactly("whole", "a");
        assertThat(both.ranks.get(1).floats()).containsExactly(10, 11, 12, 13, 14, 15, 16, 0, 3, 3);
        assertThat(state.tensors().get(1).data().toArray(ValueLayout.JAVA_FLOAT))
                .containsExactly(counted);
    }

    /** A rank that has another whole than the first strays; shares belong to all. */
    @Test
    void aRankIsSeenByWhatItHasWhole() {
        Both both = new Both();
        TrainingState state = new TrainingState(both);
        state.initialize();
        assertThat(TrainingState.seenBy(1, both).hash()).isEqualTo(state.hash());
        both.ranks.get(1).arena.set(ValueLayout.JAVA_FLOAT, 32, 4);
        assertThat(TrainingState.seenBy(1, both).hash()).isNotEqualTo(state.hash());
        assertThat(new TrainingState(both).hash()).isEqualTo(state.hash());
    }

    private static StoredTensor stored(String name, float... values) {
        return new StoredTensor(
                name, StoredType.of(DType.F32), List.of((long) values.length), MemorySegment.ofArray(values));
    }

    /** Of one that ranks share, too, though none of them has it. */
    @Test
    void refusesOtherShapesBeforeAnythingIsLoaded() {
        StoredTensor fits = floats("a", 6);
        assertThatCode(() -> TrainingState.demandFit(PLAN, List.of(fits, floats("other", 3))))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> TrainingState.demandFit(PLAN, List.of(fits, floats("b", 8))))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("b");
    }

    private static StoredTensor floats(String name, long elements) {
        MemorySegment data = Arena.ofAuto().allocate(elements * Float.BYTES, Long.BYTES);
        return new StoredTensor(name, StoredType.F32, List.of(elements), data);
    }
}
