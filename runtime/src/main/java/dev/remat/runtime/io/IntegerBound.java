package dev.remat.runtime.io;

import dev.remat.ir.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Keeps indices out of range from reaching a kernel. */
final class IntegerBound {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private IntegerBound() {}

    /** @throws DataException naming the first value at or above the bound; negative ones mark ignored targets */
    static void check(InputSpec input, MemorySegment values) {
        if (input.bound() == 0 || !input.dtype().isInteger()) {
            return;
        }
        for (long i = 0; i < input.elements(); i++) {
            long value = input.dtype() == DType.I32 ? values.get(INT, i * 4) : values.get(LONG, i * 8);
            if (value >= input.bound()) {
                throw new DataException(
                        "the data has " + value + " for " + input.name() + ", which must lie below " + input.bound());
            }
        }
    }
}
