package dev.remat.runtime.cpu.support;

/** Sums whose order is fixed by the number of terms. */
public final class Sums {
    private Sums() {}

    /** The sum of a run of doubles: eight interleaved partial sums, then their tree. */
    public static double of(double[] values, int from, int count) {
        double s0 = 0;
        double s1 = 0;
        double s2 = 0;
        double s3 = 0;
        double s4 = 0;
        double s5 = 0;
        double s6 = 0;
        double s7 = 0;
        int end = from + count;
        int i = from;
        for (; i + 7 < end; i += 8) {
            s0 += values[i];
            s1 += values[i + 1];
            s2 += values[i + 2];
            s3 += values[i + 3];
            s4 += values[i + 4];
            s5 += values[i + 5];
            s6 += values[i + 6];
            s7 += values[i + 7];
        }
        for (; i < end; i++) {
            s0 += values[i];
        }
        return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7));
    }

    /** The sum of the squares of a run of doubles, in the same order. */
    public static double ofSquares(double[] values, int from, int count) {
        double s0 = 0;
        double s1 = 0;
        double s2 = 0;
        double s3 = 0;
        double s4 = 0;
        double s5 = 0;
        double s6 = 0;
        double s7 = 0;
        int end = from + count;
        int i = from;
        for (; i + 7 < end; i += 8) {
            s0 += values[i] * values[i];
            s1 += values[i + 1] * values[i + 1];
            s2 += values[i + 2] * values[i + 2];
            s3 += values[i + 3] * values[i + 3];
            s4 += values[i + 4] * values[i + 4];
            s5 += values[i + 5] * values[i + 5];
            s6 += values[i + 6] * values[i + 6];
            s7 += values[i + 7] * values[i + 7];
        }
        for (; i < end; i++) {
            s0 += values[i] * values[i];
        }
        return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7));
    }

    /** Σ a · (b − shift) in the same order. */
    public static double ofProducts(double[] a, double[] b, double shift, int count) {
        double s0 = 0;
        double s1 = 0;
        double s2 = 0;
        double s3 = 0;
        int i = 0;
        for (; i + 3 < count; i += 4) {
            s0 += a[i] * (b[i] - shift);
            s1 += a[i + 1] * (b[i + 1] - shift);
            s2 += a[i + 2] * (b[i + 2] - shift);
            s3 += a[i + 3] * (b[i + 3] - shift);
        }
        for (; i < count; i++) {
            s0 += a[i] * (b[i] - shift);
        }
        return s0 + s1 + (s2 + s3);
    }

    public static void add(float[] to, float[] from, int count) {
        for (int i = 0; i < count; i++) {
            to[i] += from[i];
        }
    }

    public static void add(double[] to, double[] from, int count) {
        for (int i = 0; i < count; i++) {
            to[i] += from[i];
        }
    }
}
