package dev.remat.runtime.io.image;

/**
 * A decoded image.
 *
 * @param values in [0, 1], channel after channel, row-major
 */
record Pixels(int channels, int height, int width, float[] values) {
    /**
     * Scaled until it just covers the new size, then cut to it around the centre.
     *
     * <p>The filter is a triangle, as wide as two pixels of the coarser grid, so that nothing is skipped where the
     * image shrinks: what Pillow's {@code BILINEAR} and PyTorch's {@code interpolate(antialias=True)} compute.
     */
    Pixels covering(int newHeight, int newWidth) {
        boolean byHeight = (long) newHeight * width >= (long) newWidth * height;
        int scaledHeight = byHeight ? newHeight : covered(height, newWidth, width, newHeight);
        int scaledWidth = byHeight ? covered(width, newHeight, height, newWidth) : newWidth;
        Pixels narrow = resampled(Weights.centred(width, scaledWidth, newWidth)).transposed();
        return narrow.resampled(Weights.centred(height, scaledHeight, newHeight))
                .transposed();
    }

    /** The extent that goes with one side's new extent, at least as long as the part that is cut out of it. */
    private static int covered(int extent, int otherNew, int other, int least) {
        return Math.toIntExact(Math.max(least, (long) extent * otherNew / other));
    }

    /** Every row anew. */
    private Pixels resampled(Weights weights) {
        int count = weights.first().length;
        float[] result = new float[channels * height * count];
        for (int row = 0; row < channels * height; row++) {
            for (int at = 0; at < count; at++) {
                double[] factors = weights.factors()[at];
                int from = row * width + weights.first()[at];
                double sum = 0;
                for (int i = 0; i < factors.length; i++) {
                    sum += factors[i] * values[from + i];
                }
                result[row * count + at] = (float) sum;
            }
        }
        return new Pixels(channels, height, count, result);
    }

    private Pixels transposed() {
        float[] result = new float[values.length];
        for (int channel = 0; channel < channels; channel++) {
            int plane = channel * height * width;
            for (int y = 0; y < height; y++) {
                for (int x = 0; x < width; x++) {
                    result[plane + x * height + y] = values[plane + y * width + x];
                }
            }
        }
        return new Pixels(channels, width, height, result);
    }

    /**
     * Which old pixels a new one is a mean of.
     *
     * @param first by new pixel the first old one
     * @param factors by new pixel those of the old ones from the first on; their sum is 1
     */
    private record Weights(int[] first, double[][] factors) {
        /** Of the {@code kept} pixels in the middle of {@code scaled} ones that {@code old} ones become. */
        private static Weights centred(int old, int scaled, int kept) {
            double step = (double) old / scaled;
            double reach = Math.max(1, step);
            int skipped = (scaled - kept) / 2;
            int[] first = new int[kept];
            double[][] factors = new double[kept][];
            for (int at = 0; at < kept; at++) {
                double centre = (skipped + at + 0.5) * step;
                int from = Math.max(0, (int) Math.floor(centre - reach + 0.5));
                int to = Math.min(old, (int) Math.floor(centre + reach + 0.5));
                first[at] = from;
                factors[at] = normalized(from, to, centre, reach);
            }
            return new Weights(first, factors);
        }

        private static double[] normalized(int from, int to, double centre, double reach) {
            double[] factors = new double[to - from];
            double sum = 0;
            for (int i = 0; i < factors.length; i++) {
                factors[i] = Math.max(0, 1 - Math.abs((from + i + 0.5 - centre) / reach));
                sum += factors[i];
            }
            for (int i = 0; i < factors.length; i++) {
                factors[i] /= sum;
            }
            return factors;
        }
    }
}
