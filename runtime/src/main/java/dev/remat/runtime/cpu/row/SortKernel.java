package dev.remat.runtime.cpu.row;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;

/**
 * Sorts each row by keys that are ordered as its numbers are, byte by byte from the lowest, which keeps the order of
 * equal ones (radix sort; Knuth, 1973). Rows are stored densely.
 */
public record SortKernel(DType type, int rows, int columns, boolean descending) {
    private static final int DIGITS = 256;

    /** Offsets are bytes; neither result lies where the operand does. */
    public void run(WorkerPool pool, MemorySegment arena, long x, long values, long indices) {
        int perTask = Math.max(1, 8 * Scratch.CHUNK / columns);
        pool.run(Math.ceilDiv(rows, perTask), (task, scratch) -> {
            Keys keys = new Keys(columns);
            int end = Math.min(rows, (task + 1) * perTask);
            for (int row = task * perTask; row < end; row++) {
                one(arena, keys, x, values, indices, (long) row * columns);
            }
        });
    }

    private void one(MemorySegment arena, Keys keys, long x, long values, long indices, long first) {
        for (int i = 0; i < columns; i++) {
            long key = key(arena, x + (first + i) * type.bytes());
            keys.keys[i] = descending ? ~key : key;
            keys.places[i] = i;
        }
        keys.sort();
        for (int i = 0; i < columns; i++) {
            int place = keys.places[i];
            arena.set(JAVA_INT, indices + (first + i) * Integer.BYTES, place);
            MemorySegment.copy(
                    arena,
                    x + (first + place) * type.bytes(),
                    arena,
                    values + (first + i) * type.bytes(),
                    type.bytes());
        }
    }

    /** A number as an unsigned one of the same order; both zeros are one, and NaN is the last. */
    private long key(MemorySegment arena, long at) {
        if (!type.isFloat()) {
            return Elements.getIndex(arena, type, at) ^ Long.MIN_VALUE;
        }
        double value = Elements.get(arena, type, at) + 0.0;
        if (type == DType.F64) {
            long bits = Double.doubleToLongBits(value);
            return bits < 0 ? ~bits : bits ^ Long.MIN_VALUE;
        }
        int bits = Float.floatToIntBits((float) value);
        return Integer.toUnsignedLong(bits < 0 ? ~bits : bits ^ Integer.MIN_VALUE);
    }

    /** The keys of a row and where they stood, with room to distribute them. */
    private static final class Keys {
        private long[] keys;
        private int[] places;
        private long[] otherKeys;
        private int[] otherPlaces;

        Keys(int size) {
            this.keys = new long[size];
            this.places = new int[size];
            this.otherKeys = new long[size];
            this.otherPlaces = new int[size];
        }

        void sort() {
            long differing = 0;
            for (long key : keys) {
                differing |= key ^ keys[0];
            }
            for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
                if ((differing >>> shift & DIGITS - 1) != 0) {
                    distribute(shift);
                }
            }
        }

        private void distribute(int shift) {
            int[] starts = new int[DIGITS + 1];
            for (long key : keys) {
                starts[(int) (key >>> shift & DIGITS - 1) + 1]++;
            }
            for (int digit = 0; digit < DIGITS; digit++) {
                starts[digit + 1] += starts[digit];
            }
            for (int i = 0; i < keys.length; i++) {
                int to = starts[(int) (keys[i] >>> shift & DIGITS - 1)]++;
                otherKeys[to] = keys[i];
                otherPlaces[to] = places[i];
            }
            long[] sortedKeys = otherKeys;
            int[] sortedPlaces = otherPlaces;
            otherKeys = keys;
            otherPlaces = places;
            keys = sortedKeys;
            places = sortedPlaces;
        }
    }
}
