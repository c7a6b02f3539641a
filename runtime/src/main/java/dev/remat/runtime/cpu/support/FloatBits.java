package dev.remat.runtime.cpu.support;

import java.lang.foreign.MemorySegment;

/**
 * Selection and comparison of floats by masks over their bits. Conditions on data have no pattern that a processor
 * could predict, so there are no branches; the copies between float and int arrays are cheap beside a wrong guess.
 * Belongs to one thread.
 */
public final class FloatBits {
    private static final int INFINITY = 0x7F800000;
    private static final int MAGNITUDE = 0x7FFFFFFF;

    private final float[] shifted = new float[Scratch.CHUNK];
    private final int[] first = new int[Scratch.CHUNK];
    private final int[] second = new int[Scratch.CHUNK];
    private final MemorySegment shiftedBytes = MemorySegment.ofArray(shifted);
    private final MemorySegment firstBytes = MemorySegment.ofArray(first);
    private final MemorySegment secondBytes = MemorySegment.ofArray(second);

    private static void bits(MemorySegment from, MemorySegment to, int n) {
        MemorySegment.copy(from, 0, to, 0, (long) n * Float.BYTES);
    }

    /** {@code a} where the condition is 1, {@code b} where it is 0. */
    public void where(long[] condition, float[] a, float[] b, float[] out, int n) {
        bits(MemorySegment.ofArray(a), firstBytes, n);
        bits(MemorySegment.ofArray(b), secondBytes, n);
        for (int i = 0; i < n; i++) {
            int mask = -(int) condition[i];
            first[i] = first[i] & mask | second[i] & ~mask;
        }
        bits(firstBytes, MemorySegment.ofArray(out), n);
    }

    /** {@code x · scale} where the upper 24 bits of a word reach the threshold, else 0. */
    public void keep(int[] words, int from, int threshold, float scale, float[] x, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            shifted[i] = x[i] * scale;
        }
        bits(shiftedBytes, firstBytes, n);
        System.arraycopy(words, from, second, 0, n);
        int limit = threshold - 1;
        for (int i = 0; i < n; i++) {
            first[i] &= limit - (second[i] >>> 8) >> 31;
        }
        bits(firstBytes, MemorySegment.ofArray(out), n);
    }

    public void less(float[] a, float[] b, long[] out, int n) {
        order(a, b, n);
        for (int i = 0; i < n; i++) {
            out[i] = (long) first[i] - second[i] >>> 63;
        }
        exclude(a, b, out, n);
    }

    public void lessOrEqual(float[] a, float[] b, long[] out, int n) {
        order(a, b, n);
        for (int i = 0; i < n; i++) {
            out[i] = (long) first[i] - second[i] - 1 >>> 63;
        }
        exclude(a, b, out, n);
    }

    /** Ints in {@link #first} and {@link #second} that are ordered as the floats are; both zeros are one. */
    private void order(float[] a, float[] b, int n) {
        orderOne(a, firstBytes, first, n);
        orderOne(b, secondBytes, second, n);
    }

    private void orderOne(float[] from, MemorySegment bytes, int[] to, int n) {
        for (int i = 0; i < n; i++) {
            shifted[i] = from[i] + 0f;
        }
        bits(shiftedBytes, bytes, n);
        for (int i = 0; i < n; i++) {
            to[i] ^= to[i] >> 31 & MAGNITUDE;
        }
    }

    /** What is compared with NaN is neither less nor greater. */
    private void exclude(float[] a, float[] b, long[] out, int n) {
        bits(MemorySegment.ofArray(a), firstBytes, n);
        bits(MemorySegment.ofArray(b), secondBytes, n);
        for (int i = 0; i < n; i++) {
            int nan = INFINITY - (first[i] & MAGNITUDE) | INFINITY - (second[i] & MAGNITUDE);
            out[i] &= ~(long) (nan >> 31);
        }
    }
}
