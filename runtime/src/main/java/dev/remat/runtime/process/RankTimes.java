package dev.remat.runtime.process;

import java.util.Optional;

/**
 * Where the time of a step went.
 *
 * @param waitedNanos for which this process waited for others
 * @param slowest of all processes; empty where each stage has one rank
 */
public record RankTimes(long waitedNanos, Optional<Slowest> slowest) {
    /**
     * Who computed for longest beside the other ranks of its stage.
     *
     * @param share of the median of these
     */
    public record Slowest(int process, double share) {}
}
