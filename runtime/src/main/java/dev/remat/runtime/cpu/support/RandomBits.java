package dev.remat.runtime.cpu.support;

/**
 * Random bits of one training step, or of a micro-batch of it: Philox 4x32-10 (Salmon et al., 2011), a function of a
 * counter and a key.
 *
 * @param seed the user's seed, which is the key
 * @param step number of the step
 * @param microBatch number of the micro-batch within the step, which tells the elements that are drawn for
 * @param rank how far behind the first rank's micro-batches are those that the plan names itself
 */
public record RandomBits(long seed, int step, int microBatch, int rank) {
    /** For kernels that draw nothing. */
    public static final RandomBits NONE = new RandomBits(0, 0);

    private static final long MULTIPLIER_0 = 0xD2511F53L;
    private static final long MULTIPLIER_1 = 0xCD9E8D57L;
    private static final int WEYL_0 = 0x9E3779B9;
    private static final int WEYL_1 = 0xBB67AE85;

    /** Of a step in one piece. */
    public RandomBits(long seed, int step) {
        this(seed, step, 0, 0);
    }

    /** Fills {@code words} with the four words of a block of the random operation {@code ordinal}. */
    public void block(long block, int ordinal, int[] words) {
        blocks(block, 1, ordinal, words);
    }

    /**
     * The words of {@code count} blocks one after another. Blocks do not depend on each other, which keeps several of
     * them in flight.
     */
    public void blocks(long first, int count, int ordinal, int[] words) {
        int key0 = (int) seed;
        int key1 = (int) (seed >>> 32);
        for (int i = 0; i < count; i++) {
            long block = first + i;
            int c0 = (int) block;
            int c1 = (int) (block >>> 32);
            int c2 = ordinal;
            int c3 = step;
            int k0 = key0;
            int k1 = key1;
            for (int round = 0; round < 10; round++) {
                long p0 = (c0 & 0xFFFFFFFFL) * MULTIPLIER_0;
                long p1 = (c2 & 0xFFFFFFFFL) * MULTIPLIER_1;
                c0 = (int) (p1 >>> 32) ^ c1 ^ k0;
                c1 = (int) p1;
                c2 = (int) (p0 >>> 32) ^ c3 ^ k1;
                c3 = (int) p0;
                k0 += WEYL_0;
                k1 += WEYL_1;
            }
            words[4 * i] = c0;
            words[4 * i + 1] = c1;
            words[4 * i + 2] = c2;
            words[4 * i + 3] = c3;
        }
    }
}
