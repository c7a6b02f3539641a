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

    /** @throws DataException naming the first value that is not in the range of its column */
    public static void check(InputSpec input, MemorySegment values) {
        if (!input.dtype().isInteger() || input.ranges().stream().noneMatch(IndexRange::isKnown)) {
            return;
        }
        long columns = input.columns();
        for (long i = 0; i < input.elements(); i++) {
            long value = input.dtype() == DType.I32 ? values.get(INT, i * 4) : values.get(LONG, i * 8);
            IndexRange range = input.range(i % columns);
            if (!range.contains(value)) {
                throw new DataException(
                        "the data has " + value + " for " + input.column(i % columns) + ", which must be " + range);
            }
        }
    }
}
