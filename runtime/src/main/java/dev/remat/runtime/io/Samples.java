package dev.remat.runtime.io;

import dev.remat.runtime.io.Dataset.Share;
import java.lang.foreign.MemorySegment;

/** Samples by number, each with a row for every input. */
public interface Samples {
    /** One in so many is held back. */
    int HELD_BACK_SHARE = 10;

    /** How many there are. */
    long count();

    /**
     * Writes the elements that one sample has for one input, row-major and little-endian.
     *
     * @param sample from 0 to the count less one
     * @param offset byte of the target where they begin
     * @throws DataException if a value does not fit the input's type
     */
    void copy(long sample, InputSpec input, MemorySegment target, long offset);

    /**
     * A share of all samples: the last tenth is held back.
     *
     * @param of what a message calls the data
     * @throws DataException if the share is empty
     */
    static Samples share(Samples all, Share share, String of) {
        long heldBack = all.count() / HELD_BACK_SHARE;
        return switch (share) {
            case ALL -> all;
            case TRAINING -> range(all, 0, all.count() - heldBack);
            case HELD_BACK -> {
                if (heldBack == 0) {
                    throw new DataException(of + " has " + all.count() + " samples, too few to hold back a tenth");
                }
                yield range(all, all.count() - heldBack, all.count());
            }
        };
    }

    /** The samples from one number to another, the latter exclusive. */
    private static Samples range(Samples all, long from, long to) {
        return new Samples() {
            @Override
            public long count() {
                return to - from;
            }

            @Override
            public void copy(long sample, InputSpec input, MemorySegment target, long offset) {
                all.copy(from + sample, input, target, offset);
            }
        };
    }
}
