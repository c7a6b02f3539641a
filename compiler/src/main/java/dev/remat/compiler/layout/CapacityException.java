package dev.remat.compiler.layout;

/** No layout within the capacity was found. */
public final class CapacityException extends RuntimeException {
    private final boolean proven;

    /**
     * @param capacity that was asked for
     * @param lowerBound proven: no layout is lower
     * @param height of the lowest layout found
     */
    public CapacityException(long capacity, long lowerBound, long height) {
        super("no layout within " + capacity
                + (lowerBound > capacity
                        ? " is possible: it is proven that none is lower than " + lowerBound + "; the lowest found is "
                                + height
                        : " was found, and whether there is one is unknown: the lowest found is " + height
                                + ", and it is proven that none is lower than " + lowerBound));
        proven = lowerBound > capacity;
    }

    /** Whether there is none. */
    public boolean isProven() {
        return proven;
    }
}
