package dev.remat.compiler.layout;

import dev.remat.ir.plan.BufferLifetime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/** Buffers to lay out, in the order in which they were given. */
public record PackProblem(List<Row> rows) {
    /** Sum that sizes may have, so that no offset overflows. */
    static final long LARGEST_SUM = 1L << 60;

    /**
     * A buffer as it was given.
     *
     * @param lower time from which it is live
     * @param upper time from which it is no longer
     * @param size in any unit
     * @param alignment power of two that divides its offset
     */
    public record Row(String id, long lower, long upper, long size, long alignment) {}

    public PackProblem {
        rows = List.copyOf(rows);
    }

    /** The same with times renumbered from 0 by their order. */
    public List<BufferLifetime> buffers() {
        long[] times = rows.stream()
                .flatMapToLong(row -> LongStream.of(row.lower, row.upper))
                .sorted()
                .distinct()
                .toArray();
        List<BufferLifetime> buffers = new ArrayList<>(rows.size());
        for (Row row : rows) {
            buffers.add(new BufferLifetime(
                    row.id,
                    Arrays.binarySearch(times, row.lower),
                    Arrays.binarySearch(times, row.upper),
                    row.size,
                    row.alignment));
        }
        return buffers;
    }

    /** What of the time from the first to the last, and of {@code height}, is in use: 0 to 1. */
    public double utilisation(long height) {
        double area = 0;
        double first = Double.MAX_VALUE;
        double last = -Double.MAX_VALUE;
        for (Row row : rows) {
            area += (double) row.size * ((double) row.upper - row.lower);
            first = Math.min(first, row.lower);
            last = Math.max(last, row.upper);
        }
        return height == 0 ? 1 : area / height / (last - first);
    }
}
