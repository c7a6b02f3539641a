package dev.remat.runtime.io;

import dev.remat.ir.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Keeps indices out of range from reaching a kernel. */
public final class IntegerBound {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private IntegerBound() {}

    /** @throws DataException naming the first value that is neither from 0 to below the bound nor ignored */
    public static void check(InputSpec input, MemorySegment values) {
        if (input.bound() == 0 || !input.dtype().isInteger()) {
            return;
        }
        for (long i = 0; i < input.elements(); i++) {
            long value = input.dtype() == DType.I32 ? values.get(INT, i * 4) : values.get(LONG, i * 8);
            boolean isIgnored =
                    input.ignored().isPresent() && value == input.ignored().getAsLong();
            if ((value < 0 || value >= input.bound()) && !isIgnored) {
                throw new DataException("the data has " + value + " for " + input.name()
                        + ", which must be from 0 to below " + input.bound()
                        + (input.ignored().isPresent()
                                ? ", or " + input.ignored().getAsLong() + " for what does not count"
                                : ""));
            }
        }
    }
}
