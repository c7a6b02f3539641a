package dev.remat.tests.cuda;

/**
 * Which of several threads that could run does so first, and in which order blocks run. No result may depend on it.
 *
 * @param seed of the shuffles
 */
record ShimOrder(Kind threads, Kind blocks, long seed) {
    /** In the order of the shim's enumeration. */
    enum Kind {
        FORWARD,
        BACKWARD,
        /** Watched for races, too. */
        SHUFFLED
    }

    static final ShimOrder FORWARD = new ShimOrder(Kind.FORWARD, Kind.FORWARD, 0);
    static final ShimOrder BACKWARD = new ShimOrder(Kind.BACKWARD, Kind.BACKWARD, 0);

    static ShimOrder shuffled(long seed) {
        return new ShimOrder(Kind.SHUFFLED, Kind.SHUFFLED, seed);
    }
}
