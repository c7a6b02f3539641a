package dev.remat.ir.plan;

import java.math.BigInteger;

/**
 * Memory below the device's, such as the host's or a disk, and the two lanes between: values are stored there and
 * fetched again.
 *
 * @param bytes that it holds
 * @param latencyNanos that every transfer takes beside its bytes
 * @param interferenceNanosPerMegabyte what nodes lose to each 10^6 bytes that are moved, since they share memory and
 *     processors with that
 */
public record Tier(
        String name,
        long bytes,
        long storeBytesPerSecond,
        long fetchBytesPerSecond,
        long latencyNanos,
        long interferenceNanosPerMegabyte) {
    private static final long SECOND = 1_000_000_000;
    private static final long MEGABYTE = 1_000_000;
    /** Longest that a transfer may be said to take: keeps sums within a long. */
    private static final long MOST_NANOS = 1L << 60;

    /** @throws IllegalArgumentException if a rate is not positive, or another number negative */
    public Tier {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a tier needs a name");
        }
        if (storeBytesPerSecond <= 0 || fetchBytesPerSecond <= 0) {
            throw new IllegalArgumentException("the rates of tier '" + name + "' must be above zero");
        }
        if (bytes < 0 || latencyNanos < 0 || interferenceNanosPerMegabyte < 0) {
            throw new IllegalArgumentException(
                    "bytes, latency and interference of tier '" + name + "' must not be negative");
        }
    }

    /** A tier that takes nothing from nodes. */
    public Tier(String name, long bytes, long storeBytesPerSecond, long fetchBytesPerSecond, long latencyNanos) {
        this(name, bytes, storeBytesPerSecond, fetchBytesPerSecond, latencyNanos, 0);
    }

    /** Time to store so many bytes, rounded up; at most 2^60. */
    public long storeNanos(long count) {
        return nanos(SECOND, count, storeBytesPerSecond, latencyNanos);
    }

    /** Time to fetch so many bytes, rounded up; at most 2^60. */
    public long fetchNanos(long count) {
        return nanos(SECOND, count, fetchBytesPerSecond, latencyNanos);
    }

    /** Time that nodes lose to so many bytes being moved, rounded up; at most 2^60. */
    public long interferenceNanos(long count) {
        return nanos(interferenceNanosPerMegabyte, count, MEGABYTE, 0);
    }

    private static long nanos(long factor, long count, long divisor, long more) {
        BigInteger by = BigInteger.valueOf(divisor);
        return BigInteger.valueOf(count)
                .multiply(BigInteger.valueOf(factor))
                .add(by)
                .subtract(BigInteger.ONE)
                .divide(by)
                .add(BigInteger.valueOf(more))
                .min(BigInteger.valueOf(MOST_NANOS))
                .longValueExact();
    }
}
