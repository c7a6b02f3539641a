package dev.remat.runtime.io;

/**
 * The order in which an epoch visits its samples: a permutation that is a function of seed and epoch alone, computed
 * for one position at a time. A four-round Feistel network over the next even power of two, walked until it lands
 * inside (Black and Rogaway, 2002), with the finaliser of SplitMix64 (Steele, Lea and Flood, 2014) as round function.
 */
public final class EpochOrder {
    private static final int ROUNDS = 4;

    private final long seed;
    private final long count;
    private final int halfBits;

    /** @param count number of samples in an epoch, at least 1 */
    public EpochOrder(long seed, long count) {
        if (count < 1) {
            throw new IllegalArgumentException("an epoch needs a sample");
        }
        this.seed = seed;
        this.count = count;
        int bits = Long.SIZE - Long.numberOfLeadingZeros(count - 1);
        this.halfBits = Math.max(1, (bits + 1) / 2);
    }

    /**
     * The sample at a position of the endless sequence of epochs.
     *
     * @param position from 0
     * @return a sample number from 0 to the count of samples less one
     */
    public long sampleAt(long position) {
        long epoch = position / count;
        long key = Mixing.mix(Mixing.mix(seed) + epoch);
        long sample = position % count;
        do {
            sample = encrypt(sample, key);
        } while (sample >= count);
        return sample;
    }

    private long encrypt(long block, long key) {
        long mask = (1L << halfBits) - 1;
        long left = block >>> halfBits;
        long right = block & mask;
        for (int round = 0; round < ROUNDS; round++) {
            long mixed = left ^ Mixing.mix(key + round * Mixing.GOLDEN_GAMMA ^ right) & mask;
            left = right;
            right = mixed;
        }
        return left << halfBits | right;
    }
}
