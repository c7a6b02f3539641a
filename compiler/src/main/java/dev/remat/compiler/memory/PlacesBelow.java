package dev.remat.compiler.memory;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Where buffers lie below the arena.
 *
 * @param bytes that each tier is taken of, in the order of the problem's tiers
 * @param offsets of the copy that each store makes, by the number of the move; not of those that go home
 * @param homes offsets of inputs that live below, by the index of each value
 * @param freeing stores by whose end nothing needs the buffer's memory, by the number of the move
 */
public record PlacesBelow(
        List<Long> bytes,
        SortedMap<Integer, Long> offsets,
        SortedMap<Integer, Long> homes,
        SortedSet<Integer> freeing) {
    public static final PlacesBelow NONE = new PlacesBelow(
            List.of(), Collections.emptySortedMap(), Collections.emptySortedMap(), Collections.emptySortedSet());

    public PlacesBelow {
        bytes = List.copyOf(bytes);
        offsets = Collections.unmodifiableSortedMap(new TreeMap<>(offsets));
        homes = Collections.unmodifiableSortedMap(new TreeMap<>(homes));
        freeing = Collections.unmodifiableSortedSet(new TreeSet<>(freeing));
    }
}
