package dev.remat.ir.plan;

import java.math.BigInteger;

/**
 * Memory below the device's, such as the host's or a disk, and the two lanes between: values are stored there and
 * fetched again.
 *
 * @param bytes that it holds
 * @param latencyNanos that every transfer takes beside its bytes
 */
public record Tier(String name, long bytes, long storeBytesPerSecond, long fetchBytesPerSecond, long latencyNanos) {
    private static final long SECOND = 1_000_000_000;
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
        if (bytes < 0 || latencyNanos < 0) {
            throw new IllegalArgumentException("bytes and latency of tier '" + name + "' must not be negative");
        }
    }

    /** Time to store so many bytes, rounded up; at most 2^60. */
    public long storeNanos(long count) {
        return nanos(count, storeBytesPerSecond);
    }

    /** Time to fetch so many bytes, rounded up; at most 2^60. */
    public long fetchNanos(long count) {
        return nanos(count, fetchBytesPerSecond);
    }

    private long nanos(long count, long rate) {
        BigInteger scaled = BigInteger.valueOf(count).multiply(BigInteger.valueOf(SECOND));
        BigInteger divisor = BigInteger.valueOf(rate);
        BigInteger moving = scaled.add(divisor).subtract(BigInteger.ONE).divide(divisor);
        return moving.add(BigInteger.valueOf(latencyNanos))
                .min(BigInteger.valueOf(MOST_NANOS))
                .longValueExact();
    }
}
