package dev.remat.runtime.profile;

import java.util.List;

/** The middle of measured times, which a few slow outliers do not move. */
public final class Median {
    private Median() {}

    /** @throws IllegalArgumentException if there are none; of an even number the lower of the middle two */
    public static long of(List<Long> times) {
        if (times.isEmpty()) {
            throw new IllegalArgumentException("no times to take the median of");
        }
        return times.stream().sorted().toList().get((times.size() - 1) / 2);
    }
}
