package dev.remat.ir.target;

/**
 * What joins ranks, each to all others.
 *
 * @param bytesPerSecond that a rank sends, while as many come in
 * @param latencyNanos of a message; a rank sends one to each other rank, one behind the other
 */
public record Link(long bytesPerSecond, long latencyNanos) {
    private static final double NANOS = 1e9;

    public Link {
        if (bytesPerSecond < 1 || latencyNanos < 0) {
            throw new IllegalArgumentException(bytesPerSecond + " bytes a second, " + latencyNanos + " ns");
        }
    }

    /** How long an exchange of so many bytes takes. */
    public double nanos(int ranks, long bytes) {
        return (ranks - 1) * (double) latencyNanos + NANOS * bytes / bytesPerSecond;
    }
}
