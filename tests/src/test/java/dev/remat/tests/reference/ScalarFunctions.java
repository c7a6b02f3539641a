package dev.remat.tests.reference;

import dev.remat.ir.op.UnaryGradient;

/** Functions of one number that {@link Math} lacks, to full double precision also where they are next to nothing. */
final class ScalarFunctions {
    /** From here down the Gaussian's series would cancel. */
    private static final double TAIL = -3;

    /** Of the continued fraction, enough from {@link #TAIL} down. */
    private static final int TERMS = 200;

    private ScalarFunctions() {}

    static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }

    /**
     * Distribution function of the standard Gaussian: 1/2 + φ(x)·Σ x^(2n+1)/(1·3·…·(2n+1)), and below
     * φ(x)/(t + 1/(t + 2/(t + 3/…))) with t = −x (Laplace, 1805).
     */
    static double gaussian(double x) {
        if (x < TAIL) {
            double rest = -x;
            for (int n = TERMS; n > 0; n--) {
                rest = n / rest - x;
            }
            return density(x) / rest;
        }
        if (x > 9) {
            return 1;
        }
        double term = x;
        double sum = x;
        for (int n = 1; Math.abs(term) > 1e-18 * Math.abs(sum); n++) {
            term *= x * x / (2 * n + 1);
            sum += term;
        }
        return 0.5 + density(x) * sum;
    }

    static double density(double x) {
        return Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);
    }

    /** x/2·(1 + tanh(u)), which is x·sigmoid(2u), with u = √(2/π)·(x + 0.044715·x³). */
    static double geluTanh(double x) {
        return x * sigmoid(twice(x));
    }

    private static double twice(double x) {
        return 2 * Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x);
    }

    /** Derivative at {@code x}. */
    static double slope(UnaryGradient.Kind kind, double x) {
        return switch (kind) {
            case GELU -> gaussian(x) + x * density(x);
            case GELU_TANH -> {
                double inner = 2 * Math.sqrt(2 / Math.PI) * (1 + 3 * 0.044715 * x * x);
                yield sigmoid(twice(x)) * (1 + x * sigmoid(-twice(x)) * inner);
            }
            case SILU -> sigmoid(x) * (1 + x * (1 - sigmoid(x)));
            case SOFTPLUS -> sigmoid(x);
        };
    }
}
