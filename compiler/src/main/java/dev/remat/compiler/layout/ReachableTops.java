package dev.remat.compiler.layout;

import java.util.Arrays;

/**
 * Heights that buffers laid one on another without gaps can reach, where each of them may begin at a height of its own
 * at the earliest. One bit a height, so it is for capacities of few units.
 */
final class ReachableTops {
    private static final long MOST_HEIGHTS = 4096;

    /** Bit h: whether some of the buffers added reach height h. */
    private final long[] tops;

    private int bottomWord;

    /** @param capacity above which no height counts; at most as {@link #affordable} */
    ReachableTops(long capacity) {
        tops = new long[(int) (capacity >> 6) + 1];
    }

    static boolean affordable(long capacity) {
        return capacity <= MOST_HEIGHTS;
    }

    /** Starts anew with no buffers above {@code bottom}. */
    void clear(long bottom) {
        bottomWord = (int) (bottom >> 6);
        Arrays.fill(tops, bottomWord, tops.length, 0);
        tops[bottomWord] = 1L << bottom;
    }

    /**
     * Adds a buffer; those of a section in the order in which they may begin, as then no other order reaches more.
     *
     * @param begin at least the one of the buffer before
     */
    void add(long begin, long size) {
        int beginWord = (int) (begin >> 6);
        int words = (int) (size >> 6);
        for (int w = tops.length - 1; w >= beginWord + words; w--) {
            long moved = from(w - words, begin) << size;
            if ((size & 63) != 0 && w - words > beginWord) {
                moved |= from(w - words - 1, begin) >>> -size;
            }
            tops[w] |= moved;
        }
    }

    /** A word without the heights below {@code begin}, which is not above the word. */
    private long from(int word, long begin) {
        return word == begin >> 6 ? tops[word] & -1L << begin : tops[word];
    }

    boolean reaches(long height) {
        return (tops[(int) (height >> 6)] >>> height & 1) == 1;
    }

    /** The least height from {@code height} on that is reached; one must be. */
    long next(long height) {
        int word = (int) (height >> 6);
        long bits = tops[word] & -1L << height;
        while (bits == 0) {
            bits = tops[++word];
        }
        return ((long) word << 6) + Long.numberOfTrailingZeros(bits);
    }

    /** What adding a buffer takes, in comparisons. */
    int work() {
        return tops.length - bottomWord;
    }
}
