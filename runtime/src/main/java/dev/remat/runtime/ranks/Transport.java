package dev.remat.runtime.ranks;

import java.lang.foreign.MemorySegment;

/**
 * Moves bytes between a rank and all others, and computes nothing. All ranks begin the same exchanges in the same order
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
}
