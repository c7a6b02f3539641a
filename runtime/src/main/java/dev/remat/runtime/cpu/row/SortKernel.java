package dev.remat.runtime.cpu.row;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;

/**
 * Sorts each row in the place of its result by heapsort (Williams, 1964): numbers and where they stood are compared
 * together, so that no two are equal and the order is that of a stable sort. Rows are stored densely.
 */
public record SortKernel(DType type, int rows, int columns, boolean descending) {
    /** Offsets are bytes; neither result lies where the operand does. */
    public void run(WorkerPool pool, MemorySegment arena, long x, long values, long indices) {
        long rowBytes = (long) columns * type.bytes();
        pool.run(rows, (row, scratch) -> {
            long to = values + row * rowBytes;
            MemorySegment.copy(arena, x + row * rowBytes, arena, to, rowBytes);
            Row heap = new Row(arena, to, indices + 4L * row * columns);
            for (int i = 0; i < columns; i++) {
                arena.set(JAVA_INT, heap.indices + 4L * i, i);
            }
            for (int root = columns / 2 - 1; root >= 0; root--) {
                heap.sink(root, columns);
            }
            for (int last = columns - 1; last > 0; last--) {
                heap.swap(0, last);
                heap.sink(0, last);
            }
        });
    }

    /** One row of numbers and where they stood. */
    private final class Row {
        private final MemorySegment arena;
        private final long values;
        private final long indices;

        Row(MemorySegment arena, long values, long indices) {
            this.arena = arena;
            this.values = values;
            this.indices = indices;
        }

        /** Moves an entry below those that come after it. */
        void sink(int from, int size) {
            int parent = from;
            for (int child = 2 * parent + 1; child < size; child = 2 * parent + 1) {
                if (child + 1 < size && isBefore(child, child + 1)) {
                    child++;
                }
                if (!isBefore(parent, child)) {
                    return;
                }
                swap(parent, child);
                parent = child;
            }
        }

        private boolean isBefore(int i, int j) {
            int order = type.isFloat()
                    // Adding 0 makes one of both zeros.
                    ? Double.compare(Elements.get(arena, type, at(i)) + 0.0, Elements.get(arena, type, at(j)) + 0.0)
                    : Long.compare(Elements.getIndex(arena, type, at(i)), Elements.getIndex(arena, type, at(j)));
            return order == 0 ? index(i) < index(j) : order < 0 != descending;
        }

        private long at(int i) {
            return values + (long) i * type.bytes();
        }

        private int index(int i) {
            return arena.get(JAVA_INT, indices + 4L * i);
        }

        void swap(int i, int j) {
            Elements.swap(arena, type, at(i), at(j));
            int index = index(i);
            arena.set(JAVA_INT, indices + 4L * i, index(j));
            arena.set(JAVA_INT, indices + 4L * j, index);
        }
    }
}
