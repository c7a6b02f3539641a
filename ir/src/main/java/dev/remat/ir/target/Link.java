package dev.remat.ir.target;

/**
 * What joins ranks, each to all others.
 *
 * @param bytesPerSecond that a rank sends, while as many come in
 * @param latencyNanos of a message; a rank sends one to each other rank, one behind the other
 * @param interferenceNanosPerMegabyte what a rank's kernels lose to each 10^6 bytes that it sends, while as many come
 *     in, since what moves them takes processors and memory
 */
public record Link(long bytesPerSecond, long latencyNanos, long interferenceNanosPerMegabyte) {
    private static final double NANOS = 1e9;
    private static final double MEGABYTE = 1e6;
    /** Of what is lost: keeps sums within a long. */
    private static final double MOST_NANOS = 1L << 50;

    public Link {
        if (bytesPerSecond < 1 || latencyNanos < 0 || interferenceNanosPerMegabyte < 0) {
            throw new IllegalArgumentException(bytesPerSecond + " bytes a second, " + latencyNanos + " ns, "
                    + interferenceNanosPerMegabyte + " ns a megabyte");
        }
    }

    /** One that takes nothing from kernels. */
    public Link(long bytesPerSecond, long latencyNanos) {
        this(bytesPerSecond, latencyNanos, 0);
    }

    /** How long an exchange of so many bytes takes. */
    public double nanos(int ranks, long bytes) {
        return (ranks - 1) * (double) latencyNanos + NANOS * bytes / bytesPerSecond;
    }

    /** What kernels of a rank lose to an exchange of so many bytes in nanoseconds, rounded up; at most 2^50. */
    public long lostToExchange(long bytes) {
        return lost(bytes / MEGABYTE);
    }

    /** What kernels lose to a message, at either end: it goes one way, so half of that. */
    public long lostToMessage(long bytes) {
        return lost(bytes / MEGABYTE / 2);
    }

    private long lost(double megabytes) {
        return (long) Math.min(MOST_NANOS, Math.ceil(interferenceNanosPerMegabyte * megabytes));
    }
}
