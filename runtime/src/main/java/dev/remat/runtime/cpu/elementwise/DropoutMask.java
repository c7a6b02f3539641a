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
        int first = draw(index, n, registers);
        registers.bits.keep(registers.words, first, threshold(), (float) (1 / (1 - p)), x, out, n);
    }

    void apply(double[] x, long[] index, double[] out, int n, Registers registers) {
        int[] words = registers.words;
        int first = draw(index, n, registers);
        double scale = 1 / (1 - p);
        int threshold = threshold();
        for (int i = 0; i < n; i++) {
            out[i] = words[first + i] >>> 8 >= threshold ? x[i] * scale : 0;
        }
    }

    /** Fills in the words of the elements and returns where they begin: whole blocks where elements are neighbours. */
    private int draw(long[] index, int n, Registers registers) {
        int[] words = registers.words;
        if (n > 0 && WholeIndex.areNeighbours(index, n)) {
            int first = (int) (index[0] & 3);
            randomBits.blocks(index[0] >> 2, first + n + 3 >> 2, ordinal, words, registers.counters);
            return first;
        }
        int[] block = new int[4];
        long drawn = -1;
        for (int i = 0; i < n; i++) {
            if (index[i] >> 2 != drawn) {
                drawn = index[i] >> 2;
                randomBits.block(drawn, ordinal, block);
            }
            words[i] = block[(int) index[i] & 3];
        }
        return 0;
    }

    /** The least 24-bit draw that is kept: as a fraction it is not below p. */
    private int threshold() {
        return (int) Math.ceil(p * 0x1p24);
    }
}
