package dev.remat.ir;

/** erf of doubles, which {@link StrictMath} lacks: 2/√π · ∫ exp(−t²) dt from 0 to x. The same bits everywhere. */
public final class ErrorFunction {
    private ErrorFunction() {}

    /** The series of erf near 0, Lentz's continued fraction of erfc beyond (Abramowitz and Stegun 7.1.6, 7.1.14). */
    public static double of(double x) {
        double size = Math.abs(x);
        if (!(size < 6)) {
            return size >= 6 ? Math.signum(x) : x;
        }
        if (size < 2.5) {
            double term = x;
            double sum = x;
            for (int n = 1; Math.abs(term) > 1e-18 * Math.abs(sum); n++) {
                term *= 2 * x * x / (2 * n + 1);
                sum += term;
            }
            return 2 / StrictMath.sqrt(Math.PI) * StrictMath.exp(-x * x) * sum;
        }
        double fraction = 0;
        for (int n = 60; n > 0; n--) {
            fraction = n / 2.0 / (size + fraction);
        }
        double erfc = StrictMath.exp(-x * x) / (StrictMath.sqrt(Math.PI) * (size + fraction));
        return Math.signum(x) * (1 - erfc);
    }
}
