package dev.remat.runtime.cpu.support;

import java.lang.foreign.MemorySegment;

/**
 * Functions of a run of doubles, in place, good to about 2⁻³⁶ relative: what an f32 result needs with room to spare.
 * Built from sums, products, fma and bits alone, in loops that the compiler turns into vector code, so that the
 * results have the same bits interpreted, compiled, and in a loop's remainder. Runs are at most
 * {@link Scratch#CHUNK} long; a {@code Transcendentals} belongs to one thread.
 */
public final class Transcendentals {
    /** Adding this to a number of moderate size leaves its nearest integer in the lowest bits. */
    private static final double ROUNDER = 0x1.8p52;

    private static final double LOG2_E = 1.4426950408889634;
    private static final double LOG10_E = 0.4342944819032518;
    private static final double LN2 = 0.6931471805599453;
    /** ln 2 in two parts; the first has so few bits that its products with integers are exact. */
    private static final double LN2_HIGH = 0x1.62e42fefp-1;

    private static final double LN2_LOW = 0x1.473de6af278edp-34;
    /** Beyond this every f32 result is 0 or infinite, and no power of two below leaves the normal doubles. */
    private static final double EXP_LIMIT = 700;

    /** Bits of √½, from where mantissas are counted so that logarithms near 1 lose nothing. */
    private static final long SQRT_HALF = 0x3FE6A09E667F3BCDL;

    private final double[] power = new double[Scratch.CHUNK];
    private final double[] rest = new double[Scratch.CHUNK];
    private final double[] sign = new double[Scratch.CHUNK];
    private final long[] bits = new long[Scratch.CHUNK];
    private final MemorySegment powerBytes = MemorySegment.ofArray(power);
    private final MemorySegment bitsBytes = MemorySegment.ofArray(bits);

    public void exp(double[] x, int n) {
        reduceExp(x, n);
        for (int i = 0; i < n; i++) {
            x[i] = Math.fma(power[i], x[i], power[i]);
        }
    }

    /** Natural logarithm: exponent and mantissa in [√½, √2), then the series of 2·artanh. */
    public void log(double[] x, int n) {
        MemorySegment.copy(MemorySegment.ofArray(x), 0, bitsBytes, 0, 8L * n);
        // Biased by 1024 so that the shift is one of unsigned numbers, which vector instructions have.
        for (int i = 0; i < n; i++) {
            long exponent = bits[i] - SQRT_HALF + (1024L << 52) >>> 52;
            bits[i] -= exponent - 1024 << 52;
        }
        MemorySegment.copy(bitsBytes, 0, powerBytes, 0, 8L * n);
        MemorySegment.copy(MemorySegment.ofArray(x), 0, bitsBytes, 0, 8L * n);
        for (int i = 0; i < n; i++) {
            long exponent = bits[i] - SQRT_HALF + (1024L << 52) >>> 52;
            bits[i] = exponent + 0x4330000000000000L;
        }
        for (int i = 0; i < n; i++) {
            double f = power[i] - 1;
            double s = f / (2 + f);
            double t = s * s;
            double p = Math.fma(t, 1.0 / 15, 1.0 / 13);
            p = Math.fma(p, t, 1.0 / 11);
            p = Math.fma(p, t, 1.0 / 9);
            p = Math.fma(p, t, 1.0 / 7);
            p = Math.fma(p, t, 1.0 / 5);
            p = Math.fma(p, t, 1.0 / 3);
            power[i] = 2 * Math.fma(s * t, p, s);
        }
        for (int i = 0; i < n; i++) {
            double value = x[i];
            double exponent = Double.longBitsToDouble(bits[i]) - 0x1p52 - 1024;
            double log = Math.fma(exponent, LN2, power[i]);
            x[i] = value > 0 && value < Double.POSITIVE_INFINITY ? log : logOfSpecial(value);
        }
    }

    /** exp(x) − 1. */
    void expm1(double[] x, int n) {
        reduceExp(x, n);
        for (int i = 0; i < n; i++) {
            x[i] = Math.fma(power[i], x[i], power[i] - 1);
        }
    }

    void exp2(double[] x, int n) {
        scale(x, LN2, n);
        exp(x, n);
    }

    /** log(1 + x): the sum is corrected for what it rounds away. */
    void log1p(double[] x, int n) {
        for (int i = 0; i < n; i++) {
            double sum = 1 + x[i];
            double lost = (x[i] - (sum - 1)) / sum;
            rest[i] = sum > 0 && sum < Double.POSITIVE_INFINITY ? lost : 0;
            x[i] = sum;
        }
        log(x, n);
        for (int i = 0; i < n; i++) {
            // 1 + x is 1 where x is tiny, and then x itself is what is left, with its sign.
            x[i] = x[i] == 0 ? rest[i] : x[i] + rest[i];
        }
    }

    void log2(double[] x, int n) {
        log(x, n);
        scale(x, LOG2_E, n);
    }

    void log10(double[] x, int n) {
        log(x, n);
        scale(x, LOG10_E, n);
    }

    /** (t + t/(t + 1))/2 of the size, where t is exp(x) − 1. */
    void sinh(double[] x, int n) {
        takeSigns(x, n);
        expm1(x, n);
        for (int i = 0; i < n; i++) {
            x[i] = Math.copySign(0.5 * (x[i] + x[i] / (x[i] + 1)), sign[i]);
        }
    }

    void cosh(double[] x, int n) {
        exp(x, n);
        for (int i = 0; i < n; i++) {
            x[i] = 0.5 * (x[i] + 1 / x[i]);
        }
    }

    /** log(x + √(x² + 1)) of the size, as log1p. */
    void asinh(double[] x, int n) {
        takeSigns(x, n);
        for (int i = 0; i < n; i++) {
            double square = x[i] * x[i];
            x[i] = square < Double.POSITIVE_INFINITY ? x[i] + square / (1 + Math.sqrt(square + 1)) : x[i];
        }
        log1p(x, n);
        giveSigns(x, n);
    }

    /** log(x + √(x² − 1)), as log1p of what is above 1; one root would be real again below −1. */
    void acosh(double[] x, int n) {
        for (int i = 0; i < n; i++) {
            double above = x[i] - 1;
            x[i] = above + Math.sqrt(above) * Math.sqrt(above + 2);
        }
        log1p(x, n);
    }

    /** log((1 + x)/(1 − x))/2 of the size, as log1p. */
    void atanh(double[] x, int n) {
        takeSigns(x, n);
        for (int i = 0; i < n; i++) {
            x[i] = 2 * x[i] / (1 - x[i]);
        }
        log1p(x, n);
        scale(x, 0.5, n);
        giveSigns(x, n);
    }

    private void takeSigns(double[] x, int n) {
        for (int i = 0; i < n; i++) {
            sign[i] = x[i];
            x[i] = Math.abs(x[i]);
        }
    }

    private void giveSigns(double[] x, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = Math.copySign(x[i], sign[i]);
        }
    }

    private static void scale(double[] x, double factor, int n) {
        for (int i = 0; i < n; i++) {
            x[i] *= factor;
        }
    }

    private static double logOfSpecial(double value) {
        return value == 0 ? Double.NEGATIVE_INFINITY : value > 0 ? value : Double.NaN;
    }

    /** Leaves exp(r) − 1 in {@code x} and 2ⁿ in {@link #power}, where x = n·ln 2 + r. NaN stays NaN. */
    private void reduceExp(double[] x, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = Math.max(-EXP_LIMIT, Math.min(EXP_LIMIT, x[i]));
        }
        for (int i = 0; i < n; i++) {
            double shifted = Math.fma(x[i], LOG2_E, ROUNDER);
            double whole = shifted - ROUNDER;
            double r = Math.fma(whole, -LN2_HIGH, x[i]);
            r = Math.fma(whole, -LN2_LOW, r);
            double p = Math.fma(r, 1.0 / 3628800, 1.0 / 362880);
            p = Math.fma(p, r, 1.0 / 40320);
            p = Math.fma(p, r, 1.0 / 5040);
            p = Math.fma(p, r, 1.0 / 720);
            p = Math.fma(p, r, 1.0 / 120);
            p = Math.fma(p, r, 1.0 / 24);
            p = Math.fma(p, r, 1.0 / 6);
            p = Math.fma(p, r, 0.5);
            power[i] = shifted;
            x[i] = Math.fma(r * r, p, r);
        }
        MemorySegment.copy(powerBytes, 0, bitsBytes, 0, 8L * n);
        for (int i = 0; i < n; i++) {
            bits[i] = bits[i] + 1023 << 52;
        }
        MemorySegment.copy(bitsBytes, 0, powerBytes, 0, 8L * n);
    }
}
