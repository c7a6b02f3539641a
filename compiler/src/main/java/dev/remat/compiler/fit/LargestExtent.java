package dev.remat.compiler.fit;

import java.util.function.BooleanSupplier;
import java.util.function.LongUnaryOperator;

/**
 * Finds the largest number whose bytes fit, where more takes no fewer bytes: false position, since bytes are nearly
 * linear, with halving where that gains little.
 */
final class LargestExtent {
    private final long memory;
    private final LongUnaryOperator bytes;
    private final BooleanSupplier late;
    private long low;
    private long lowBytes;
    private long high;
    private long highBytes;
    private boolean bracketed;

    private LargestExtent(long memory, LongUnaryOperator bytes, BooleanSupplier late) {
        this.memory = memory;
        this.bytes = bytes;
        this.late = late;
    }

    /**
     * The largest number from {@code least} to {@code most} that fits, or {@code least - 1} if none does.
     *
     * @param bytes of a number; {@link Long#MAX_VALUE} where it is out of the question
     * @param late whether to end with the largest that is known to fit
     */
    static long find(long least, long most, long memory, LongUnaryOperator bytes, BooleanSupplier late) {
        return new LargestExtent(memory, bytes, late).find(least, most);
    }

    private long find(long least, long most) {
        low = least;
        lowBytes = bytes.applyAsLong(least);
        high = most + 1;
        if (lowBytes > memory) {
            return least - 1;
        }
        grow();
        boolean halve = false;
        while (high - low > 1 && !late.getAsBoolean()) {
            long width = high - low;
            probe(halve ? low + width / 2 : line(low, lowBytes, high, highBytes));
            halve = !halve && high - low > width / 2;
        }
        return low;
    }

    /** Goes up until something does not fit, at least twice as far each time, or until the most fits. */
    private void grow() {
        long before = low;
        long beforeBytes = lowBytes;
        for (long step = 1; !bracketed && high - low > 1 && !late.getAsBoolean(); step = Math.min(2 * step, high)) {
            long guess = before == low ? low + step : Math.max(low + step, line(before, beforeBytes, low, lowBytes));
            before = low;
            beforeBytes = lowBytes;
            probe(guess);
        }
    }

    private void probe(long wanted) {
        long number = Math.clamp(wanted, low + 1, high - 1);
        long found = bytes.applyAsLong(number);
        if (found <= memory) {
            low = number;
            lowBytes = found;
        } else {
            high = number;
            highBytes = found;
            bracketed = true;
        }
    }

    /** Where the line through two points meets the memory; far up where it is level. */
    private long line(long a, long aBytes, long b, long bBytes) {
        if (bBytes <= aBytes) {
            return high - 1;
        }
        return (long) (a + ((double) memory - aBytes) / ((double) bBytes - aBytes) * (b - a));
    }
}
