package dev.remat.ir.graph;

import dev.remat.ir.ValueId;
import java.util.Arrays;
import java.util.Optional;

/** Map from the values of one graph, backed by an array and therefore iterated in id order. */
public final class ValueMap<T> {
    private Object[] entries;

    /** @param size number of values expected; the map grows past it */
    public ValueMap(int size) {
        entries = new Object[Math.max(size, 8)];
    }

    public void put(ValueId key, T value) {
        if (key.index() >= entries.length) {
            entries = Arrays.copyOf(entries, Math.max(key.index() + 1, entries.length * 2));
        }
        entries[key.index()] = value;
    }

    public boolean contains(ValueId key) {
        return key.index() < entries.length && entries[key.index()] != null;
    }

    /** @throws IllegalArgumentException if there is no entry */
    public T get(ValueId key) {
        return find(key).orElseThrow(() -> new IllegalArgumentException("no entry for " + key));
    }

    @SuppressWarnings("unchecked")
    public Optional<T> find(ValueId key) {
        return key.index() < entries.length ? Optional.ofNullable((T) entries[key.index()]) : Optional.empty();
    }
}
