package dev.remat.ir;

/** Functions of doubles that {@link StrictMath} lacks, of the same bits everywhere. */
public final class RealFunctions {
    /** Beyond it 1 is nothing beside the square. */
    private static final double LARGE = 0x1p28;

    private RealFunctions() {}

    /** The exact quotient rounded down, up to the rounding of the division of a multiple of {@code b} by it. */
    public static double floorDivide(double a, double b) {
        double quotient = Math.rint((a - remainder(a, b)) / b);
        return b == 0 || Double.isInfinite(a) || Double.isInfinite(b) ? Math.floor(a / b) : quotient;
    }

    /** Exact, and of the sign of {@code b}. */
    public static double remainder(double a, double b) {
        double rest = a % b;
        return rest != 0 && rest < 0 != b < 0 ? rest + b : rest;
    }

    /** Exact where {@code x} is a power of two. */
    public static double log2(double x) {
        if (!(x > 0) || x == Double.POSITIVE_INFINITY) {
            return StrictMath.log(x);
        }
        int exponent = Math.getExponent(x);
        double mantissa = x / Math.scalb(1.0, exponent);
        return exponent + StrictMath.log(mantissa) / StrictMath.log(2);
    }

    /** log(x + √(x² + 1)). */
    public static double asinh(double x) {
        double size = Math.abs(x);
        double value = size > LARGE
                ? StrictMath.log(size) + StrictMath.log(2)
                : StrictMath.log1p(size + size * size / (1 + Math.sqrt(size * size + 1)));
        return Math.copySign(value, x);
    }

    /** log(x + √(x² − 1)), no number below 1. */
    public static double acosh(double x) {
        double above = x - 1;
        return x > LARGE
                ? StrictMath.log(x) + StrictMath.log(2)
                : StrictMath.log1p(above + Math.sqrt(above) * Math.sqrt(above + 2));
    }
}
