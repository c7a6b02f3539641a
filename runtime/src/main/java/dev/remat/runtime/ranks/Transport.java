package dev.remat.runtime.ranks;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/**
 * Moves bytes between a rank and all others, or a stage and another, and computes nothing.
 * All ranks begin the same exchanges in the same order
 * with as many bytes, and end them in the same order.
 */
public interface Transport {
    /** An exchange that has begun. */
    @FunctionalInterface
    interface Begun {
        /**
         * Returns when the rank has what it asked for and nobody reads what it sent any more.
         *
         * @throws RankLostException if a rank will not come
         */
        void end();

        /** Runs something when {@link #end} waits no more, or at once where only that can tell. */
        default void whenEnded(Runnable told) {
            told.run();
        }
    }

    /** Of a rank that is alone. */
    Transport NONE = new Transport() {
        @Override
        public int rank() {
            throw new IllegalStateException("a plan of several ranks runs on one");
        }

        @Override
        public Begun gather(MemorySegment own, MemorySegment all) {
            throw new IllegalStateException("rank " + rank() + " of several");
        }

        @Override
        public Begun scatter(MemorySegment own, MemorySegment all) {
            return gather(own, all);
        }
    };

    /** Whether what has begun in some steps may end in those that run next, rather than before these return. */
    default boolean runsOn() {
        return false;
    }

    /**
     * Returns when what has begun has ended.
     *
     * @param what it is, for whoever asks what this rank waits for
     */
    default void await(Begun begun, Supplier<String> what) {
        begun.end();
    }

    /** Number of this rank, from 0. */
    int rank();

    /**
     * Gives all ranks what each has.
     *
     * @param own what this rank has
     * @param all takes what each has, one behind the other in the order of ranks
     */
    Begun gather(MemorySegment own, MemorySegment all);

    /**
     * Gives each rank its share of what every rank has.
     *
     * @param own what this rank has, shares in the order of ranks; what they lack at the end counts as zeros
     * @param all takes this rank's share of what each has, one behind the other in the order of ranks
     */
    Begun scatter(MemorySegment own, MemorySegment all);

    /**
     * Hands bytes to another stage, which takes as many. Ends when these are there.
     *
     * @param stage to which; messages to it go in order
     */
    default Begun send(MemorySegment own, int stage) {
        throw new IllegalStateException("nobody sends to stage " + stage);
    }

    /**
     * Takes bytes from another stage, which hands over as many.
     *
     * @param stage from which; messages from it come in order
     */
    default Begun receive(MemorySegment into, int stage) {
        throw new IllegalStateException("nothing comes from stage " + stage);
    }
}
