package dev.remat.runtime.launch;

import java.util.Optional;
import java.util.function.Function;

/**
 * One of several processes that were started together.
 *
 * @param rank of this process
 * @param ranks how many there are
 * @param told who says so: variables or options and their values, for messages
 */
public record Started(int rank, int ranks, String told) {
    /** @throws IllegalArgumentException if there are not as many as the rank takes */
    public Started {
        if (rank >= ranks) {
            throw new IllegalArgumentException(told + " contradict each other");
        }
    }

    /**
     * What two variables tell; empty where one is not set.
     *
     * @param environment by name; null where a variable is not set
     * @throws IllegalArgumentException if they are no numbers, or contradict each other
     */
    public static Optional<Started> read(Function<String, String> environment, String rank, String ranks) {
        String own = environment.apply(rank);
        String all = environment.apply(ranks);
        if (own == null || all == null) {
            return Optional.empty();
        }
        String told = rank + "=" + own + " and " + ranks + "=" + all;
        return Optional.of(new Started(number(rank, own), number(ranks, all), told));
    }

    static int number(String name, String text) {
        try {
            return Integer.parseUnsignedInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " is '" + text + "', which is no number of a process", e);
        }
    }

    /** Whether both speak of the same process. */
    public boolean agreesWith(Started other) {
        return rank == other.rank && ranks == other.ranks;
    }

    /** What to tell where they do not. */
    public String contradicts(Started other) {
        return told + " contradict " + other.told + "; unset those of the launcher that has not started this process";
    }
}
