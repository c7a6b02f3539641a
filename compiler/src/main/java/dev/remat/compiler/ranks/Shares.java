package dev.remat.compiler.ranks;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What of the state of a training ranks hold in shares, bucket by bucket.
 *
 * @param level of every bucket that {@code whole} does not name
 * @param whole names of shares of parameters that {@code level} would have, such as {@code own.wte.weight} or
 *     {@code own.bucket.3}: each rank holds these parameters whole, gathers them once a step, and has the rest of their
 *     state in shares
 */
public record Shares(Sharding level, SortedSet<String> whole) {
    public Shares {
        whole = Collections.unmodifiableSortedSet(new TreeSet<>(whole));
    }

    /** Of all buckets alike. */
    public static Shares of(Sharding level) {
        return new Shares(level, new TreeSet<>());
    }

    /** The same with parameters whole of which ranks would have shares of these names. */
    public Shares withWhole(Collection<String> names) {
        SortedSet<String> more = new TreeSet<>(whole);
        more.addAll(names);
        return new Shares(level, more);
    }

    /** Whether ranks hold parameters in a share of this name. */
    boolean sharesParameters(String share) {
        return level.sharesParameters() && !whole.contains(share);
    }

    @Override
    public String toString() {
        return whole.isEmpty() ? level.toString() : level + " but " + String.join(", ", List.copyOf(whole));
    }
}
