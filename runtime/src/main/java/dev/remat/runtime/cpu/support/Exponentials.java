package dev.remat.runtime.cpu.support;

import java.lang.foreign.MemorySegment;

/**
 * Exponentials of runs of floats and what is built on them, in floats: within 2 units in the last place for the
 * exponential itself, 3 for the others, and in the far tails of Gaussians 10. Built from sums, products, fma and
 * bits alone, in loops so small that the compiler turns them into vector code, so that the results have the same bits
 * interpreted, compiled, and in a loop's remainder. Runs are at most {@link Scratch#CHUNK} long. Belongs to one thread.
 */
final class Exponentials {
    /** Adding this to a number of moderate size leaves its nearest integer in the lowest bits. */
    private static final float ROUNDER = 0x1.8p23f;

    private static final int ROUNDER_BITS = 0x4B400000;
    private static final float LOG2_E = 1.442695f;
    /** ln 2 in two parts; the first has so few bits that its products with exponents are exact. */
    private static final float LN2_HIGH = 0x1.62e4p-1f;

    private static final float LN2_LOW = 0x1.7f7d1cp-20f;
    /** Beyond these a result is 0 or infinite. */
    private static final float LOWEST = -105;

    private static final float HIGHEST = 89;
    /** Where the Gaussian's density is 0. */
    private static final float FAR = 14.5f;

    private static final float INVERSE_SQRT_TWO_PI = 0.3989423f;
    /** Where erf is 1. */
    private static final float ERF_FAR = 3.93f;

    private final float[] power = new float[Scratch.CHUNK];
    private final float[] half = new float[Scratch.CHUNK];
    private final float[] size = new float[Scratch.CHUNK];
    private final float[] rest = new float[Scratch.CHUNK];
    private final int[] powerBits = new int[Scratch.CHUNK];
    private final int[] halfBits = new int[Scratch.CHUNK];
    private final MemorySegment powerPart = MemorySegment.ofArray(power);
    private final MemorySegment halfPart = MemorySegment.ofArray(half);
    private final MemorySegment powerBitsPart = MemorySegment.ofArray(powerBits);
    private final MemorySegment halfBitsPart = MemorySegment.ofArray(halfBits);

    /** Leaves exp(r) − 1 in {@code x}, and two factors of 2ᵏ beside it, where x = k·ln 2 + r. NaN stays NaN. */
    private void reduce(float[] x, int n) {
        for (int i = 0; i < n; i++) {
            float v = Math.max(LOWEST, Math.min(HIGHEST, x[i]));
            float shifted = Math.fma(v, LOG2_E, ROUNDER);
            float whole = shifted - ROUNDER;
            float r = Math.fma(whole, -LN2_LOW, Math.fma(whole, -LN2_HIGH, v));
            float p = Math.fma(r, 1f / 5040, 1f / 720);
            p = Math.fma(p, r, 1f / 120);
            p = Math.fma(p, r, 1f / 24);
            p = Math.fma(p, r, 1f / 6);
            p = Math.fma(p, r, 0.5f);
            power[i] = shifted;
            x[i] = Math.fma(r * r, p, r);
        }
        long bytes = (long) n * Float.BYTES;
        MemorySegment.copy(powerPart, 0, powerBitsPart, 0, bytes);
        for (int i = 0; i < n; i++) {
            int k = powerBits[i] - ROUNDER_BITS;
            powerBits[i] = (k >> 1) + 127 << 23;
            halfBits[i] = k - (k >> 1) + 127 << 23;
        }
        MemorySegment.copy(powerBitsPart, 0, powerPart, 0, bytes);
        MemorySegment.copy(halfBitsPart, 0, halfPart, 0, bytes);
    }

    /** In place. */
    void exp(float[] x, int n) {
        reduce(x, n);
        for (int i = 0; i < n; i++) {
            x[i] = Math.fma(power[i], x[i], power[i]) * half[i];
        }
    }

    /** By way of exp(2x) − 1, which keeps its relative precision near 0. */
    void tanh(float[] x, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = Math.max(-20, Math.min(20, 2 * x[i]));
        }
        expm1(out, n);
        for (int i = 0; i < n; i++) {
            out[i] = out[i] / (out[i] + 2);
        }
    }

    /** By way of −log(1 − erf(t))/t of the size, which is nearly straight. */
    void erf(float[] x, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            float t = Math.min(ERF_FAR, Math.abs(x[i]));
            float p = Math.fma(t, -1.0346906e-07f, 2.5941913e-06f);
            p = Math.fma(p, t, -2.8992608e-05f);
            p = Math.fma(p, t, 0.00018901165f);
            p = Math.fma(p, t, -0.0007737479f);
            p = Math.fma(p, t, 0.0018249344f);
            p = Math.fma(p, t, -0.00025860115f);
            p = Math.fma(p, t, -0.01912218f);
            p = Math.fma(p, t, 0.10277399f);
            p = Math.fma(p, t, 0.63661945f);
            p = Math.fma(p, t, 1.1283792f);
            out[i] = -t * p;
        }
        expm1(out, n);
        for (int i = 0; i < n; i++) {
            out[i] = Math.copySign(out[i], x[i]);
        }
    }

    /** exp(x) − 1 of moderate numbers, in place. */
    private void expm1(float[] x, int n) {
        reduce(x, n);
        for (int i = 0; i < n; i++) {
            float scale = power[i] * half[i];
            x[i] = Math.fma(scale, x[i], scale - 1);
        }
    }

    /** x·Φ(x) = max(x, 0) − |x|·Φ(−|x|). */
    void gelu(float[] x, float[] out, int n) {
        tails(x, out, n);
        for (int i = 0; i < n; i++) {
            out[i] = Math.max(x[i], -0f) - size[i] * (out[i] * rest[i]);
        }
    }

    /** Φ(x) + x·φ(x) is s = Φ(−|x|) − |x|·φ(x) below 0, and 1 − s above; about 0, s is ½. */
    void geluSlope(float[] x, float[] out, int n) {
        tails(x, out, n);
        for (int i = 0; i < n; i++) {
            float s = out[i] * Math.fma(size[i], -INVERSE_SQRT_TWO_PI, rest[i]);
            float side = Math.max(-0.5f, Math.min(0.5f, x[i] * 0x1p100f));
            out[i] = Math.fma(-2 * side, s, 0.5f + side);
        }
    }

    /**
     * Leaves exp(−x²/2) in {@code e}, t = |x| in {@link #size}, and Φ(−t)·exp(t²/2) in {@link #rest}: a polynomial in
     * t/(t + 2), over t + 2.
     */
    private void tails(float[] x, float[] e, int n) {
        for (int i = 0; i < n; i++) {
            float t = Math.min(FAR, Math.abs(x[i]));
            size[i] = t;
            e[i] = -0.5f * t * t;
        }
        exp(e, n);
        for (int i = 0; i < n; i++) {
            // What t² is rounded by counts where it is large.
            float t = size[i];
            e[i] = Math.fma(-0.5f * Math.fma(t, t, -(t * t)), e[i], e[i]);
            half[i] = 1 / (t + 2);
            power[i] = t * half[i];
        }
        for (int i = 0; i < n; i++) {
            float u = power[i];
            float p = Math.fma(u, -0.1308986f, 0.5699346f);
            p = Math.fma(p, u, -0.98258746f);
            p = Math.fma(p, u, 0.9227782f);
            p = Math.fma(p, u, -0.5916044f);
            p = Math.fma(p, u, 0.21303287f);
            p = Math.fma(p, u, -0.013557064f);
            p = Math.fma(p, u, 0.114923544f);
            p = Math.fma(p, u, 0.08419164f);
            p = Math.fma(p, u, -0.19149992f);
            p = Math.fma(p, u, -0.5957698f);
            p = Math.fma(p, u, 1);
            rest[i] = p * half[i];
        }
    }
}
