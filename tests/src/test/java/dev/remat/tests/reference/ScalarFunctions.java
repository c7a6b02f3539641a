package dev.remat.tests.reference;

import dev.remat.ir.op.UnaryGradient;

/** Functions of one number that {@link Math} lacks, to full double precision. */
final class ScalarFunctions {
    private ScalarFunctions() {}

    static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }

    /** Distribution function of the standard Gaussian: 1/2 + φ(x)·Σ x^(2n+1)/(1·3·…·(2n+1)). */
    static double gaussian(double x) {
        if (Math.abs(x) > 9) {
            return x > 0 ? 1 : 0;
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

    static double geluTanh(double x) {
        return x / 2 * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));
    }

    /** Derivative at {@code x}. */
    static double slope(UnaryGradient.Kind kind, double x) {
        return switch (kind) {
            case GELU -> gaussian(x) + x * density(x);
            case GELU_TANH -> {
                double c = Math.sqrt(2 / Math.PI);
                double tanh = Math.tanh(c * (x + 0.044715 * x * x * x));
                double inner = c * (1 + 3 * 0.044715 * x * x);
                yield (1 + tanh) / 2 + x / 2 * (1 - tanh * tanh) * inner;
            }
            case SILU -> sigmoid(x) * (1 + x * (1 - sigmoid(x)));
            case SOFTPLUS -> sigmoid(x);
        };
    }
}
