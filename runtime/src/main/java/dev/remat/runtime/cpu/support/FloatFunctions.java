package dev.remat.runtime.cpu.support;

/**
 * Activation functions of f32 runs and their gradients, computed in doubles and rounded once. Belongs to one thread.
 */
public final class FloatFunctions {
    private static final double SQRT_HALF = 0.7071067811865476;
    private static final double SQRT_TWO_OVER_PI = 0.7978845608028654;
    private static final double INVERSE_SQRT_TWO_PI = 0.3989422804014327;
    private static final double GELU_CUBIC = 0.044715;

    public final Transcendentals transcendentals = new Transcendentals();
    private final double[] x = new double[Scratch.CHUNK];
    private final double[] y = new double[Scratch.CHUNK];
    private final double[] z = new double[Scratch.CHUNK];

    public void exp(float[] a, float[] out, int n) {
        Elements.widen(a, 0, y, 0, n);
        transcendentals.exp(y, n);
        Elements.narrow(y, 0, out, 0, n);
    }

    public void log(float[] a, float[] out, int n) {
        Elements.widen(a, 0, y, 0, n);
        transcendentals.log(y, n);
        Elements.narrow(y, 0, out, 0, n);
    }

    public void sigmoid(float[] a, float[] out, int n) {
        Elements.widen(a, 0, y, 0, n);
        transcendentals.sigmoid(y, n);
        Elements.narrow(y, 0, out, 0, n);
    }

    public void tanh(float[] a, float[] out, int n) {
        Elements.widen(a, 0, y, 0, n);
        transcendentals.tanh(y, n);
        Elements.narrow(y, 0, out, 0, n);
    }

    public void erf(float[] a, float[] out, int n) {
        Elements.widen(a, 0, y, 0, n);
        transcendentals.erf(y, n);
        Elements.narrow(y, 0, out, 0, n);
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

    public void geluTanh(float[] a, float[] out, int n) {
        tanhOfCubic(a, n);
        for (int i = 0; i < n; i++) {
            out[i] = (float) (0.5 * a[i] * (1 + y[i]));
        }
    }

    public void geluTanhGradient(float[] dy, float[] a, float[] out, int n) {
        tanhOfCubic(a, n);
        for (int i = 0; i < n; i++) {
            double slope = SQRT_TWO_OVER_PI * (1 + 3 * GELU_CUBIC * a[i] * a[i]);
            out[i] = (float) (dy[i] * (0.5 * (1 + y[i]) + 0.5 * a[i] * (1 - y[i] * y[i]) * slope));
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

    private void tanhOfCubic(float[] a, int n) {
        for (int i = 0; i < n; i++) {
            double v = a[i];
            y[i] = SQRT_TWO_OVER_PI * (v + GELU_CUBIC * v * v * v);
        }
        transcendentals.tanh(y, n);
    }
}
