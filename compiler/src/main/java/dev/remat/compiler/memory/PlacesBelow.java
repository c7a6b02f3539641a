package dev.remat.compiler.memory;

import dev.remat.ir.ValueId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

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

    /**
     * With those of a section that follows and has the same homes.
     *
     * @param moves in front of the section's
     * @param values what its values are called here
     */
    public PlacesBelow and(PlacesBelow section, int moves, UnaryOperator<ValueId> values) {
        List<Long> most = new ArrayList<>();
        for (int tier = 0; tier < Math.max(bytes.size(), section.bytes().size()); tier++) {
            long own = tier < bytes.size() ? bytes.get(tier) : 0;
            long other = tier < section.bytes().size() ? section.bytes().get(tier) : 0;
            most.add(Math.max(own, other));
        }
        SortedMap<Integer, Long> copies = new TreeMap<>(offsets);
        section.offsets().forEach((store, offset) -> copies.put(store + moves, offset));
        SortedMap<Integer, Long> living = new TreeMap<>(homes);
        section.homes()
                .forEach((input, offset) ->
                        living.put(values.apply(new ValueId(input)).index(), offset));
        SortedSet<Integer> frees = new TreeSet<>(freeing);
        section.freeing().forEach(store -> frees.add(store + moves));
        return new PlacesBelow(most, copies, living, frees);
    }
}
