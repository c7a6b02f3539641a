package dev.remat.runtime.cpu.support;

/**
 * Circular functions of a run of doubles that come from f32, and their inverses, in place and as good as
 * {@link Transcendentals}. Angles of any size are reduced by as many digits of π as they need. Belongs to one thread.
 */
final class Trigonometry {
    private static final double TWO_OVER_PI = 0x1.45f306dc9c883p-1;
    private static final double HALF_PI = 0x1.921fb54442d18p0;
    /** π/2 in three parts; the first two have so few bits that their products with 20-bit integers are exact. */
    private static final double HALF_PI_HIGH = 0x1.921fb544p0;

    private static final double HALF_PI_MIDDLE = 0x1.0b4611a6p-34;
    private static final double HALF_PI_LOW = 0x1.3198a2e037073p-69;
    /** Beyond this, quarter turns are counted with {@link #BITS}. */
    private static final double NEAR = 0x1p19;

    /** Adding this to a number of moderate size rounds it to an integer. */
    private static final double ROUNDER = 0x1.8p52;

    /** A word of 0, then 2/π after the binary point, the first bits first. */
    private static final long[] BITS = {
        0, 0xA2F9836E4E441529L, 0xFC2757D1F534DDC0L, 0xDB6295993C439041L, 0xFE5163ABDEBBC561L, 0xB7246E3A424DD2E0L
    };

    private static final double TAN_EIGHTH_TURN_HALVED = 0.4142135623730951;

    private final double[] angle = new double[Scratch.CHUNK];
    private final double[] quarter = new double[Scratch.CHUNK];

    void sin(double[] x, int n) {
        reduce(x, n);
        for (int i = 0; i < n; i++) {
            x[i] = turned(angle[i], quarter[i]);
        }
    }

    /** Cosines of angles of which a whole turn has 2³². */
    void cosOfTurns(long[] turns, double[] out, int n) {
        for (int i = 0; i < n; i++) {
            long quarters = turns[i] + (1L << 29) >> 30;
            double r = (turns[i] - (quarters << 30)) * (HALF_PI * 0x1p-30);
            out[i] = turned(r, quarters + 1);
        }
    }

    void cos(double[] x, int n) {
        reduce(x, n);
        for (int i = 0; i < n; i++) {
            x[i] = turned(angle[i], quarter[i] + 1);
        }
    }

    void tan(double[] x, int n) {
        reduce(x, n);
        for (int i = 0; i < n; i++) {
            double sine = sineNear(angle[i]);
            double cosine = cosineNear(angle[i]);
            x[i] = isOdd(quarter[i]) ? -cosine / sine : sine / cosine;
        }
    }

    /** By arcs of at most a sixteenth of a turn, around 0, 1 and infinity. */
    void atan(double[] x, int n) {
        for (int i = 0; i < n; i++) {
            double size = Math.abs(x[i]);
            boolean small = size < TAN_EIGHTH_TURN_HALVED;
            boolean large = size > 1 / TAN_EIGHTH_TURN_HALVED;
            double from = small ? 0 : large ? HALF_PI : HALF_PI / 2;
            double t = small ? size : large ? -1 / size : (size - 1) / (size + 1);
            x[i] = Math.copySign(from + arc(t), x[i]);
        }
    }

    void asin(double[] x, int n) {
        for (int i = 0; i < n; i++) {
            x[i] /= Math.sqrt((1 - x[i]) * (1 + x[i]));
        }
        atan(x, n);
    }

    /** Twice the angle with tangent √((1 − x)/(1 + x)), which keeps its precision where the angle is small. */
    void acos(double[] x, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = Math.sqrt((1 - x[i]) / (1 + x[i]));
        }
        atan(x, n);
        for (int i = 0; i < n; i++) {
            x[i] *= 2;
        }
    }

    /** Leaves quarter turns, to the nearest whole one and perhaps less a multiple of four, and the angle beyond. */
    private void reduce(double[] x, int n) {
        for (int i = 0; i < n; i++) {
            double whole = Math.fma(x[i], TWO_OVER_PI, ROUNDER) - ROUNDER;
            double r = Math.fma(whole, -HALF_PI_HIGH, x[i]);
            r = Math.fma(whole, -HALF_PI_MIDDLE, r);
            angle[i] = Math.fma(whole, -HALF_PI_LOW, r);
            quarter[i] = whole;
        }
        for (int i = 0; i < n; i++) {
            if (!(Math.abs(x[i]) < NEAR)) {
                reduceFar(x[i], i);
            }
        }
    }

    /** Multiplies by those bits of 2/π that do not give whole turns (Payne and Hanek, 1983). */
    private void reduceFar(double x, int i) {
        if (!(Math.abs(x) < Double.POSITIVE_INFINITY)) {
            angle[i] = Double.NaN;
            return;
        }
        long bits = Double.doubleToRawLongBits(x);
        long mantissa = (bits & (1L << 52) - 1 | 1L << 52) >>> 29;
        int from = Math.getExponent(x) - 23 - 2 + 64;
        int word = from >> 6;
        long high = shifted(word, from & 63);
        long low = shifted(word + 1, from & 63);
        long productLow = mantissa * low;
        long productHigh = mantissa * high + Math.unsignedMultiplyHigh(mantissa, low);
        // Two bits of quarters, then the fraction; as a signed number it is counted from the nearest quarter.
        long fraction = productHigh << 2 | productLow >>> 62;
        double turns = (productHigh >>> 62) + (fraction < 0 ? 1 : 0);
        double r = (fraction * 0x1p-64 + (productLow << 2 >>> 1) * 0x1p-127) * HALF_PI;
        angle[i] = x < 0 ? -r : r;
        quarter[i] = x < 0 ? -turns : turns;
    }

    private static long shifted(int word, int by) {
        return by == 0 ? BITS[word] : BITS[word] << by | BITS[word + 1] >>> 64 - by;
    }

    private static boolean isOdd(double whole) {
        return whole - 2 * Math.floor(whole * 0.5) != 0;
    }

    /** Sine of {@code r} and so many quarter turns. */
    private static double turned(double r, double quarters) {
        double value = isOdd(quarters) ? cosineNear(r) : sineNear(r);
        return isOdd(Math.floor(quarters * 0.5)) ? -value : value;
    }

    /** Taylor's series up to an eighth of a turn; −0 stays −0. */
    private static double sineNear(double r) {
        double t = r * r;
        double p = Math.fma(t, 1.0 / 6227020800.0, -1.0 / 39916800);
        p = Math.fma(p, t, 1.0 / 362880);
        p = Math.fma(p, t, -1.0 / 5040);
        p = Math.fma(p, t, 1.0 / 120);
        p = Math.fma(p, t, -1.0 / 6);
        return r == 0 ? r : Math.fma(r * t, p, r);
    }

    private static double cosineNear(double r) {
        double t = r * r;
        double p = Math.fma(t, -1.0 / 87178291200.0, 1.0 / 479001600);
        p = Math.fma(p, t, -1.0 / 3628800);
        p = Math.fma(p, t, 1.0 / 40320);
        p = Math.fma(p, t, -1.0 / 720);
        p = Math.fma(p, t, 1.0 / 24);
        p = Math.fma(p, t, -0.5);
        return Math.fma(t, p, 1);
    }

    /** The series of the arcus tangent for sizes up to √2 − 1. */
    private static double arc(double x) {
        double t = -x * x;
        double p = Math.fma(t, 1.0 / 29, 1.0 / 27);
        p = Math.fma(p, t, 1.0 / 25);
        p = Math.fma(p, t, 1.0 / 23);
        p = Math.fma(p, t, 1.0 / 21);
        p = Math.fma(p, t, 1.0 / 19);
        p = Math.fma(p, t, 1.0 / 17);
        p = Math.fma(p, t, 1.0 / 15);
        p = Math.fma(p, t, 1.0 / 13);
        p = Math.fma(p, t, 1.0 / 11);
        p = Math.fma(p, t, 1.0 / 9);
        p = Math.fma(p, t, 1.0 / 7);
        p = Math.fma(p, t, 1.0 / 5);
        p = Math.fma(p, t, 1.0 / 3);
        return Math.fma(x * t, p, x);
    }
}
