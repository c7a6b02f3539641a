package dev.remat.codegen.cuda.emit;

/** Division by numbers that kernels get as arguments, without a division: multiplier and shift in one word. */
public final class Divisor {
    private Divisor() {}

    /**
     * What the {@code quotient} of kernels needs to divide numbers below 2³¹ by {@code divisor} (Granlund and
     * Montgomery, 1994): the shift in the high word, the multiplier in the low one.
     *
     * @param divisor from 1 to 2³¹
     */
    public static long magic(long divisor) {
        if (divisor < 1 || divisor > 1L << 31) {
            throw new IllegalArgumentException("no 32-bit division by " + divisor);
        }
        int shift = Long.SIZE - Long.numberOfLeadingZeros(divisor - 1);
        long multiplier = ((1L << 32) * ((1L << shift) - divisor)) / divisor + 1;
        return (long) shift << 32 | multiplier;
    }
}
