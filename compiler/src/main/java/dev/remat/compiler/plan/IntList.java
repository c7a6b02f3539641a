package dev.remat.compiler.plan;

import java.util.Arrays;

/** A growing list of ints. */
final class IntList {
    private int[] items = new int[16];
    private int size;

    void add(int item) {
        if (size == items.length) {
            items = Arrays.copyOf(items, 2 * size);
        }
        items[size++] = item;
    }

    int get(int position) {
        return items[position];
    }

    int size() {
        return size;
    }

    int removeLast() {
        return items[--size];
    }

    void clear() {
        size = 0;
    }

    /** Another with the items in the opposite order. */
    IntList reversed() {
        IntList other = new IntList();
        for (int i = size - 1; i >= 0; i--) {
            other.add(items[i]);
        }
        return other;
    }

    int[] toArray() {
        return Arrays.copyOf(items, size);
    }
}
