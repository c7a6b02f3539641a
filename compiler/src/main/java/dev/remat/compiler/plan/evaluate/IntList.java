package dev.remat.compiler.plan.evaluate;

import java.util.Arrays;

/** A growing list of ints. */
public final class IntList {
    private int[] items = new int[16];
    private int size;

    public void add(int item) {
        if (size == items.length) {
            items = Arrays.copyOf(items, 2 * size);
        }
        items[size++] = item;
    }

    public int get(int position) {
        return items[position];
    }

    public int size() {
        return size;
    }

    public int removeLast() {
        return items[--size];
    }

    public void clear() {
        size = 0;
    }

    /** Another with the items in the opposite order. */
    public IntList reversed() {
        IntList other = new IntList();
        for (int i = size - 1; i >= 0; i--) {
            other.add(items[i]);
        }
        return other;
    }

    public int[] toArray() {
        return Arrays.copyOf(items, size);
    }
}
