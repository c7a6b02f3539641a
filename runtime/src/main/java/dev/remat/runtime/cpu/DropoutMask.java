package dev.remat.runtime.cpu;

/**
 * Which elements a dropout keeps: an element is 0 if its uniform draw is below {@code p}, else divided by 1 − p.
 *
 * @param ordinal which random operation of the model draws
 */
record DropoutMask(Draws draws, int ordinal, double p) {

    void apply(float[] x, long[] index, float[] out, int n) {
        float scale = (float) (1 / (1 - p));
        int[] words = new int[4];
        long block = -1;
        for (int i = 0; i < n; i++) {
            if (index[i] >> 2 != block) {
                block = index[i] >> 2;
                draws.block(block, ordinal, words);
            }
            out[i] = keeps(words[(int) index[i] & 3]) ? x[i] * scale : 0;
        }
    }

    void apply(double[] x, long[] index, double[] out, int n) {
        double scale = 1 / (1 - p);
        int[] words = new int[4];
        for (int i = 0; i < n; i++) {
            draws.block(index[i] >> 2, ordinal, words);
            out[i] = keeps(words[(int) index[i] & 3]) ? x[i] * scale : 0;
        }
    }

    private boolean keeps(int word) {
        return (word >>> 8) * 0x1p-24 >= p;
    }
}
