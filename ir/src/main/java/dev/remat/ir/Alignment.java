package dev.remat.ir;

/** Where in memory a tensor may begin. */
public final class Alignment {
    /** Bytes of a cache line, and of the widest vector register. */
    public static final long CACHE_LINE = 64;

    private Alignment() {}

    /**
     * The least multiple of {@code to} that is not below {@code bytes}.
     *
     * @param to a power of two
     * @throws ArithmeticException if no long holds it
     */
    public static long up(long bytes, long to) {
        return Math.addExact(bytes, to - 1) & -to;
    }
}
