package dev.remat.compiler.kernel;

import dev.remat.ir.ValueId;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** What happens to a buffer in front of a kernel, or behind the last. */
public sealed interface BufferMove {
    /** The kernel that follows; as many as there are kernels where none does. */
    int before();

    /**
     * The same where others stand in front of all.
     *
     * @param kernels how many
     * @param moves how many
     * @param values what its values are called there
     */
    default BufferMove behind(int kernels, int moves, UnaryOperator<ValueId> values) {
        return switch (this) {
            case Store(int before, ValueId buffer, int tier, Optional<ValueId> home) ->
                new Store(before + kernels, values.apply(buffer), tier, home.map(values));
            case Fetch(int before, ValueId buffer, Copy.Stored(int move)) ->
                new Fetch(before + kernels, values.apply(buffer), new Copy.Stored(move + moves));
            case Fetch(int before, ValueId buffer, Copy.Home(ValueId input)) ->
                new Fetch(before + kernels, values.apply(buffer), new Copy.Home(values.apply(input)));
            case Await(int before, int move) -> new Await(before + kernels, move + moves);
        };
    }

    /** What of a buffer lies below the arena. */
    sealed interface Copy {
        /** @param move number of the store that made it */
        record Stored(int move) implements Copy {}

        /** @param input that lives below: what is there when the step begins */
        record Home(ValueId input) implements Copy {}
    }

    /**
     * @param tier that a copy of the buffer goes to
     * @param home the input that lives there, of which the buffer is the new content
     */
    record Store(int before, ValueId buffer, int tier, Optional<ValueId> home) implements BufferMove {}

    /** @param buffer that the copy comes back to, which has no other writer but an update */
    record Fetch(int before, ValueId buffer, Copy copy) implements BufferMove {
        /** Whether it brings back what that store has stored. */
        public boolean isOf(int store) {
            return copy.equals(new Copy.Stored(store));
        }
    }

    /** @param move number of the store or fetch that has to have ended */
    record Await(int before, int move) implements BufferMove {}
}
