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

    private static final int ROUNDS = 10;
    private static final int AT_ONCE = 128;
    /** What {@link #blocks} works in. */
    static final int PLACES = (ROUNDS + 4) * AT_ONCE;

    private static final long WORD = 0xFFFFFFFFL;
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
        long c0 = block;
        long c1 = block >>> 32;
        long c2 = ordinal;
        long c3 = step;
        int k0 = (int) seed;
        int k1 = (int) (seed >>> 32);
        for (int round = 0; round < ROUNDS; round++) {
            long p0 = (c0 & WORD) * MULTIPLIER_0;
            long p1 = (c2 & WORD) * MULTIPLIER_1;
            c0 = p1 >>> 32 ^ c1 ^ k0;
            c1 = p1;
            c2 = p0 >>> 32 ^ c3 ^ k1;
            c3 = p0;
            k0 += WEYL_0;
            k1 += WEYL_1;
        }
        words[0] = (int) c0;
        words[1] = (int) c1;
        words[2] = (int) c2;
        words[3] = (int) c3;
    }

    /**
     * The words of {@code count} blocks one after another, in loops over many blocks that are vector code: a round
     * leaves each counter one place further, the fourth in a place of its own.
     *
     * @param places of at least {@link #PLACES} longs, with any content
     */
    public void blocks(long first, int count, int ordinal, int[] words, long[] places) {
        for (int done = 0; done < count; done += AT_ONCE) {
            int some = Math.min(AT_ONCE, count - done);
            for (int i = 0; i < some; i++) {
                places[i] = first + done + i;
                places[i + AT_ONCE] = first + done + i >>> 32;
                places[i + 2 * AT_ONCE] = ordinal;
                places[i + 3 * AT_ONCE] = step;
            }
            int k0 = (int) seed;
            int k1 = (int) (seed >>> 32);
            for (int round = 0; round < ROUNDS; round++) {
                multiplyFirst(places, round * AT_ONCE, some, k1);
                multiplyThird(places, round * AT_ONCE, some, k0);
                k0 += WEYL_0;
                k1 += WEYL_1;
            }
            int to = 4 * done;
            for (int i = ROUNDS * AT_ONCE; i < ROUNDS * AT_ONCE + some; i++) {
                words[to] = (int) places[i];
                words[to + 1] = (int) places[i + AT_ONCE];
                words[to + 2] = (int) places[i + 2 * AT_ONCE];
                words[to + 3] = (int) places[i + 3 * AT_ONCE];
                to += 4;
            }
        }
    }

    /** From the first counters of a round, at {@code at}, and the fourth to the third and fourth of the next. */
    private static void multiplyFirst(long[] places, int at, int count, long key) {
        for (int i = at; i < at + count; i++) {
            long product = (places[i] & WORD) * MULTIPLIER_0;
            places[i + 3 * AT_ONCE] = product >>> 32 ^ places[i + 3 * AT_ONCE] ^ key;
            places[i + 4 * AT_ONCE] = product;
        }
    }

    /** From the second and third counters to the first and second of the next round. */
    private static void multiplyThird(long[] places, int at, int count, long key) {
        for (int i = at; i < at + count; i++) {
            long product = (places[i + 2 * AT_ONCE] & WORD) * MULTIPLIER_1;
            places[i + AT_ONCE] = product >>> 32 ^ places[i + AT_ONCE] ^ key;
            places[i + 2 * AT_ONCE] = product;
        }
    }
}
