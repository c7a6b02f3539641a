package dev.remat.ir.plan;

import java.util.Arrays;

/** A list of int lists in two arrays. */
final class IndexLists {
    private final int[] start;
    private final int[] items;

    private IndexLists(int[] start, int[] items) {
        this.start = start;
        this.items = items;
    }

    int size(int list) {
        return start[list + 1] - start[list];
    }

    int get(int list, int position) {
        return items[start[list] + position];
    }

    /** For each of {@code items} items, ascending, the lists that contain it. */
    IndexLists transposed(int itemCount) {
        int[] end = new int[itemCount + 1];
        for (int item : items) {
            end[item + 1]++;
        }
        for (int item = 0; item < itemCount; item++) {
            end[item + 1] += end[item];
        }
        int[] next = end.clone();
        int[] lists = new int[items.length];
        for (int list = 0; list + 1 < start.length; list++) {
            for (int i = start[list]; i < start[list + 1]; i++) {
                lists[next[items[i]]++] = list;
            }
        }
        return new IndexLists(end, lists);
    }

    /** Collects lists in order. */
    static final class Collector {
        private final int[] start;
        private int[] items = new int[16];
        private int lists;
        private int size;

        Collector(int lists) {
            start = new int[lists + 1];
        }

        void add(int item) {
            if (size == items.length) {
                items = Arrays.copyOf(items, 2 * size);
            }
            items[size++] = item;
        }

        void endList() {
            start[++lists] = size;
        }

        IndexLists lists() {
            return new IndexLists(start, Arrays.copyOf(items, size));
        }
    }
}
