package dev.remat.tests.reference;

/** Philox 4x32-10 as its authors define it (Salmon, Moraes, Dror and Shaw, 2011), in plain integers. */
final class Philox {
    private static final long WORD = 0xFFFFFFFFL;

    private Philox() {}

    /** Four random words, each from 0 to 2³² − 1, for a counter of four words and a key of two. */
    static long[] words(long[] counter, long keyLow, long keyHigh) {
        long[] state = counter.clone();
        long k0 = keyLow;
        long k1 = keyHigh;
        for (int round = 0; round < 10; round++) {
            long a = 0xD2511F53L * state[0];
            long b = 0xCD9E8D57L * state[2];
            state = new long[] {
                (b >>> 32) ^ state[1] ^ k0, b & WORD, (a >>> 32) ^ state[3] ^ k1, a & WORD,
            };
            k0 = (k0 + 0x9E3779B9L) & WORD;
            k1 = (k1 + 0xBB67AE85L) & WORD;
        }
        return state;
    }

    /** Uniform number from 0 to below 1 of one element. */
    static double uniform(long userSeed, long element, long ordinal, long step) {
        return (word(userSeed, element, ordinal, step) >>> 8) * 0x1p-24;
    }

    /** The word of one element. */
    static long word(long userSeed, long element, long ordinal, long step) {
        long block = element / 4;
        long[] counter = {block & WORD, block >>> 32, ordinal & WORD, step & WORD};
        return words(counter, userSeed & WORD, userSeed >>> 32)[(int) (element % 4)];
    }
}
