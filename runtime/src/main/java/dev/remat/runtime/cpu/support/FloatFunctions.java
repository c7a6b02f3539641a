package dev.remat.runtime.cpu.support;

/**
 * Functions of f32 runs. Activations and their gradients are computed in floats, to 3 units in the last place and what
 * their exponential makes of the rounding of its argument; the others in doubles and rounded once. A sigmoid below the
 * normal floats may be 0. Belongs to one thread.
 */
public final class FloatFunctions {
    /** 2·√(2/π). */
    private static final float GELU_LINEAR = 1.5957692f;

    private static final float GELU_CUBIC = (float) (0.044715 * 1.5957691216057308);
    /** Where exp(−x) is near the largest float, likewise that of the cubic. */
    private static final float SIGMOID_LIMIT = 88;

    private static final float CUBIC_LIMIT = 9.9f;

    private final Exponentials exponentials = new Exponentials();
    public final Transcendentals transcendentals = new Transcendentals();
    private final Trigonometry trigonometry = new Trigonometry();
    /** Scratch, and what {@link #boxMuller} takes. */
    public final double[] x = new double[Scratch.CHUNK];

    private final double[] y = new double[Scratch.CHUNK];
    private final double[] z = new double[Scratch.CHUNK];
    private final float[] limited = new float[Scratch.CHUNK];
    public final long[] turns = new long[Scratch.CHUNK];

    /** A function of a run of doubles, in place. */
    private interface InPlace {
        void apply(double[] x, int n);
    }

    private void inDoubles(InPlace function, float[] a, float[] out, int n) {
        Elements.widen(a, 0, y, 0, n);
        function.apply(y, n);
        Elements.narrow(y, 0, out, 0, n);
    }

    public void exp(float[] a, float[] out, int n) {
        System.arraycopy(a, 0, out, 0, n);
        exponentials.exp(out, n);
    }

    /** In place. Loops over two arrays are vector code where both begin at 0. */
    public void exp(float[] x, int at, int n) {
        System.arraycopy(x, at, limited, 0, n);
        exponentials.exp(limited, n);
        System.arraycopy(limited, 0, x, at, n);
    }

    public void log(float[] a, float[] out, int n) {
        inDoubles(transcendentals::log, a, out, n);
    }

    public void sigmoid(float[] a, float[] out, int n) {
        expOfNegative(a, Float.POSITIVE_INFINITY, out, n);
        for (int i = 0; i < n; i++) {
            out[i] = 1 / (1 + out[i]);
        }
    }

    public void tanh(float[] a, float[] out, int n) {
        exponentials.tanh(a, out, n);
    }

    public void erf(float[] a, float[] out, int n) {
        exponentials.erf(a, out, n);
    }

    public void expm1(float[] a, float[] out, int n) {
        inDoubles(transcendentals::expm1, a, out, n);
    }

    public void exp2(float[] a, float[] out, int n) {
        inDoubles(transcendentals::exp2, a, out, n);
    }

    public void log1p(float[] a, float[] out, int n) {
        inDoubles(transcendentals::log1p, a, out, n);
    }

    public void log2(float[] a, float[] out, int n) {
        inDoubles(transcendentals::log2, a, out, n);
    }

    public void log10(float[] a, float[] out, int n) {
        inDoubles(transcendentals::log10, a, out, n);
    }

    public void sinh(float[] a, float[] out, int n) {
        inDoubles(transcendentals::sinh, a, out, n);
    }

    public void cosh(float[] a, float[] out, int n) {
        inDoubles(transcendentals::cosh, a, out, n);
    }

    public void asinh(float[] a, float[] out, int n) {
        inDoubles(transcendentals::asinh, a, out, n);
    }

    public void acosh(float[] a, float[] out, int n) {
        inDoubles(transcendentals::acosh, a, out, n);
    }

    public void atanh(float[] a, float[] out, int n) {
        inDoubles(transcendentals::atanh, a, out, n);
    }

    public void sin(float[] a, float[] out, int n) {
        inDoubles(trigonometry::sin, a, out, n);
    }

    public void cos(float[] a, float[] out, int n) {
        inDoubles(trigonometry::cos, a, out, n);
    }

    public void tan(float[] a, float[] out, int n) {
        inDoubles(trigonometry::tan, a, out, n);
    }

    public void asin(float[] a, float[] out, int n) {
        inDoubles(trigonometry::asin, a, out, n);
    }

    public void acos(float[] a, float[] out, int n) {
        inDoubles(trigonometry::acos, a, out, n);
    }

    public void atan(float[] a, float[] out, int n) {
        inDoubles(trigonometry::atan, a, out, n);
    }

    /** {@code √(−2·ln x)} times the cosine of {@link #turns}, of which a whole turn has 2³². */
    public void boxMuller(float[] out, int n) {
        transcendentals.log(x, n);
        trigonometry.cosOfTurns(turns, y, n);
        for (int i = 0; i < n; i++) {
            out[i] = (float) (Math.sqrt(-2 * x[i]) * y[i]);
        }
    }

    public void silu(float[] a, float[] out, int n) {
        expOfNegative(a, Float.POSITIVE_INFINITY, out, n);
        for (int i = 0; i < n; i++) {
            out[i] = a[i] / (1 + out[i]);
        }
    }

    /** s + x·s·(1 − s), where 1 − s = exp(−x)·s; beyond the limit the slope is 0 or 1. */
    public void siluGradient(float[] dy, float[] a, float[] out, int n) {
        expOfNegative(a, SIGMOID_LIMIT, out, n);
        for (int i = 0; i < n; i++) {
            float x = Math.max(-SIGMOID_LIMIT, Math.min(SIGMOID_LIMIT, a[i]));
            float s = 1 / (1 + out[i]);
            out[i] = dy[i] * Math.fma(x * (out[i] * s), s, s);
        }
    }

    public void gelu(float[] a, float[] out, int n) {
        exponentials.gelu(a, out, n);
    }

    public void geluGradient(float[] dy, float[] a, float[] out, int n) {
        exponentials.geluSlope(a, out, n);
        for (int i = 0; i < n; i++) {
            out[i] *= dy[i];
        }
    }

    /** By way of (1 + tanh u)/2 = sigmoid(2u), which for large u loses nothing that a factor could bring back. */
    public void geluTanh(float[] a, float[] out, int n) {
        expOfNegativeCubic(a, out, n);
        for (int i = 0; i < n; i++) {
            out[i] = a[i] / (1 + out[i]);
        }
    }

    public void geluTanhGradient(float[] dy, float[] a, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            limited[i] = Math.max(-CUBIC_LIMIT, Math.min(CUBIC_LIMIT, a[i]));
        }
        expOfNegativeCubic(limited, out, n);
        for (int i = 0; i < n; i++) {
            float x = limited[i];
            float s = 1 / (1 + out[i]);
            float slope = Math.fma(3 * GELU_CUBIC * x, x, GELU_LINEAR);
            out[i] = dy[i] * Math.fma(x * slope * (out[i] * s), s, s);
        }
    }

    /** max(x, 0) + log(1 + exp(−|x|)); the sum of 1 and a tiny term is corrected for what it rounds away. */
    public void softplus(float[] a, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = -Math.abs(a[i]);
        }
        transcendentals.exp(x, n);
        for (int i = 0; i < n; i++) {
            y[i] = 1 + x[i];
            z[i] = (x[i] - (y[i] - 1)) / y[i];
        }
        transcendentals.log(y, n);
        for (int i = 0; i < n; i++) {
            out[i] = (float) (Math.max(a[i], 0) + (y[i] + z[i]));
        }
    }

    public void softplusGradient(float[] dy, float[] a, float[] out, int n) {
        sigmoid(a, out, n);
        for (int i = 0; i < n; i++) {
            out[i] *= dy[i];
        }
    }

    /** exp(−x), of x to both sides as far as the limit. */
    private void expOfNegative(float[] a, float limit, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = Math.max(-limit, Math.min(limit, -a[i]));
        }
        exponentials.exp(out, n);
    }

    private void expOfNegativeCubic(float[] a, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = -a[i] * Math.fma(GELU_CUBIC * a[i], a[i], GELU_LINEAR);
        }
        exponentials.exp(out, n);
    }
}
