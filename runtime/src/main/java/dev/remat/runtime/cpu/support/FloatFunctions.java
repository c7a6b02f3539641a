package dev.remat.runtime.cpu.support;

/**
 * Functions of f32 runs, activations and their gradients among them, computed in doubles and rounded once. Belongs to
 * one thread.
 */
public final class FloatFunctions {
    private static final double SQRT_HALF = 0.7071067811865476;
    private static final double SQRT_TWO_OVER_PI = 0.7978845608028654;
    private static final double INVERSE_SQRT_TWO_PI = 0.3989422804014327;
    private static final double GELU_CUBIC = 0.044715;

    public final Transcendentals transcendentals = new Transcendentals();
    private final Trigonometry trigonometry = new Trigonometry();
    /** Scratch, and what {@link #boxMuller} takes. */
    public final double[] x = new double[Scratch.CHUNK];

    private final double[] y = new double[Scratch.CHUNK];
    private final double[] z = new double[Scratch.CHUNK];
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
        inDoubles(transcendentals::exp, a, out, n);
    }

    public void log(float[] a, float[] out, int n) {
        inDoubles(transcendentals::log, a, out, n);
    }

    public void sigmoid(float[] a, float[] out, int n) {
        inDoubles(transcendentals::sigmoid, a, out, n);
    }

    public void tanh(float[] a, float[] out, int n) {
        inDoubles(transcendentals::tanh, a, out, n);
    }

    public void erf(float[] a, float[] out, int n) {
        inDoubles(transcendentals::erf, a, out, n);
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
        Elements.widen(a, 0, y, 0, n);
        transcendentals.sigmoid(y, n);
        for (int i = 0; i < n; i++) {
            out[i] = (float) (a[i] * y[i]);
        }
    }

    public void siluGradient(float[] dy, float[] a, float[] out, int n) {
        Elements.widen(a, 0, y, 0, n);
        transcendentals.sigmoid(y, n);
        for (int i = 0; i < n; i++) {
            double s = y[i];
            out[i] = (float) (dy[i] * (s * (1 + a[i] * (1 - s))));
        }
    }

    public void gelu(float[] a, float[] out, int n) {
        erfOfScaled(a, n);
        for (int i = 0; i < n; i++) {
            out[i] = (float) (0.5 * a[i] * (1 + y[i]));
        }
    }

    public void geluGradient(float[] dy, float[] a, float[] out, int n) {
        erfOfScaled(a, n);
        for (int i = 0; i < n; i++) {
            z[i] = -0.5 * a[i] * a[i];
        }
        transcendentals.exp(z, n);
        for (int i = 0; i < n; i++) {
            out[i] = (float) (dy[i] * (0.5 * (1 + y[i]) + a[i] * INVERSE_SQRT_TWO_PI * z[i]));
        }
    }

    /** By way of (1 + tanh u)/2 = sigmoid(2u), which for large u loses nothing that a factor could bring back. */
    public void geluTanh(float[] a, float[] out, int n) {
        sigmoidOfCubic(a, n);
        for (int i = 0; i < n; i++) {
            out[i] = (float) (a[i] * y[i]);
        }
    }

    public void geluTanhGradient(float[] dy, float[] a, float[] out, int n) {
        sigmoidOfCubic(a, n);
        for (int i = 0; i < n; i++) {
            double s = y[i];
            double slope = 2 * SQRT_TWO_OVER_PI * (1 + 3 * GELU_CUBIC * a[i] * a[i]);
            out[i] = (float) (dy[i] * (s + a[i] * s * (1 - s) * slope));
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
        Elements.widen(a, 0, y, 0, n);
        transcendentals.sigmoid(y, n);
        for (int i = 0; i < n; i++) {
            out[i] = (float) (dy[i] * y[i]);
        }
    }

    private void erfOfScaled(float[] a, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = a[i] * SQRT_HALF;
        }
        transcendentals.erf(y, n);
    }

    private void sigmoidOfCubic(float[] a, int n) {
        for (int i = 0; i < n; i++) {
            double v = a[i];
            y[i] = 2 * SQRT_TWO_OVER_PI * (v + GELU_CUBIC * v * v * v);
        }
        transcendentals.sigmoid(y, n);
    }
}
