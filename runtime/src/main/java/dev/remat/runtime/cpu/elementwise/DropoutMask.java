package dev.remat.runtime.cpu.elementwise;

import dev.remat.runtime.cpu.support.RandomBits;
import dev.remat.runtime.cpu.support.Registers;

/**
 * Which elements a dropout keeps: an element is 0 if its uniform draw is below {@code p}, else divided by 1 − p.
 *
 * @param ordinal which random operation of the model draws
 */
record DropoutMask(RandomBits randomBits, int ordinal, double p) {

    void apply(float[] x, long[] index, float[] out, int n, Registers registers) {
        int[] words = registers.words;
        float scale = (float) (1 / (1 - p));
        int threshold = threshold();
        if (n > 0 && isRun(index, n)) {
            int first = (int) (index[0] & 3);
            randomBits.blocks(index[0] >> 2, first + n + 3 >> 2, ordinal, words);
            registers.bits.keep(words, first, threshold, scale, x, out, n);
            return;
        }
        for (int i = 0; i < n; i++) {
            randomBits.block(index[i] >> 2, ordinal, words);
            out[i] = words[(int) index[i] & 3] >>> 8 >= threshold ? x[i] * scale : 0;
        }
    }

    void apply(double[] x, long[] index, double[] out, int n, Registers registers) {
        int[] words = registers.words;
        double scale = 1 / (1 - p);
        int threshold = threshold();
        for (int i = 0; i < n; i++) {
            randomBits.block(index[i] >> 2, ordinal, words);
            out[i] = words[(int) index[i] & 3] >>> 8 >= threshold ? x[i] * scale : 0;
        }
    }

    /** The least 24-bit draw that is kept: as a fraction it is not below p. */
    private int threshold() {
        return (int) Math.ceil(p * 0x1p24);
    }

    private static boolean isRun(long[] index, int n) {
        long gaps = 0;
        for (int i = 1; i < n; i++) {
            gaps |= index[i] - index[i - 1] ^ 1;
        }
        return gaps == 0;
    }
}
