package dev.remat.runtime.cpu.row;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Sort;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.kernel.OpTypes;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Shapes;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Sorts each row by keys that are ordered as its numbers are, byte by byte from the lowest, which keeps the order of
 * equal ones (radix sort; Knuth, 1973). Rows are stored densely.
 */
public record SortKernel(DType type, int rows, int columns, boolean descending) {
    private static final int DIGITS = 256;

    /** Bytes of a key and where it stood, twice: as it is, and where it is distributed to. */
    private static final long BYTES_PER_COLUMN = 2L * (Long.BYTES + Integer.BYTES);

    public static CpuKernel of(Sort op, OpTypes types) {
        TensorType x = types.operand(0);
        SortKernel kernel = new SortKernel(x.dtype(), Shapes.rows(x), Shapes.extent(x, -1), op.descending());
        return new CpuKernel(kernel.workspaceBytes(WorkerPool.MOST_THREADS), in -> {
            long from = in.dense(0);
            long values = in.denseResult(0);
            long indices = in.denseResult(1);
            long workspace = in.workspace();
            return frame -> kernel.run(frame.pool(), frame.arena(), from, values, indices, workspace);
        });
    }

    /** For that many threads at most: a share for each of them, or for each task if those are fewer. */
    public long workspaceBytes(int threads) {
        return Math.min(threads, tasks()) * BYTES_PER_COLUMN * columns;
    }

    private int rowsPerTask() {
        return Math.max(1, 8 * Scratch.CHUNK / columns);
    }

    private int tasks() {
        return Math.ceilDiv(rows, rowsPerTask());
    }

    /**
     * Offsets are bytes; neither result lies where the operand does.
     *
     * @param workspace sized for {@link WorkerPool#MOST_THREADS}
     */
    public void run(WorkerPool pool, MemorySegment arena, long x, long values, long indices, long workspace) {
        int perTask = rowsPerTask();
        int tasks = tasks();
        pool.run(tasks, (task, scratch) -> {
            int share = tasks <= WorkerPool.MOST_THREADS ? task : scratch.slot();
            Keys keys = new Keys(arena, workspace + share * BYTES_PER_COLUMN * columns, columns);
            int end = Math.min(rows, (task + 1) * perTask);
            for (int row = task * perTask; row < end; row++) {
                one(arena, keys, x, values, indices, (long) row * columns);
            }
        });
    }

    private void one(MemorySegment arena, Keys keys, long x, long values, long indices, long first) {
        for (int i = 0; i < columns; i++) {
            long key = key(arena, x + (first + i) * type.bytes());
            keys.set(i, descending ? ~key : key, i);
        }
        keys.sort();
        for (int i = 0; i < columns; i++) {
            int place = keys.place(i);
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

    /** The keys of a row and where they stood, with room to distribute them; all of it in the arena. */
    private static final class Keys {
        private final MemorySegment arena;
        private final int size;
        private final int[] starts = new int[DIGITS + 1];
        private long keys;
        private long otherKeys;
        private long places;
        private long otherPlaces;

        Keys(MemorySegment arena, long at, int size) {
            this.arena = arena;
            this.size = size;
            this.keys = at;
            this.otherKeys = keys + (long) size * Long.BYTES;
            this.places = otherKeys + (long) size * Long.BYTES;
            this.otherPlaces = places + (long) size * Integer.BYTES;
        }

        void set(int i, long key, int place) {
            arena.set(JAVA_LONG, keys + (long) i * Long.BYTES, key);
            arena.set(JAVA_INT, places + (long) i * Integer.BYTES, place);
        }

        int place(int i) {
            return arena.get(JAVA_INT, places + (long) i * Integer.BYTES);
        }

        private long key(int i) {
            return arena.get(JAVA_LONG, keys + (long) i * Long.BYTES);
        }

        void sort() {
            long first = key(0);
            long differing = 0;
            for (int i = 1; i < size; i++) {
                differing |= key(i) ^ first;
            }
            for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
                if ((differing >>> shift & DIGITS - 1) != 0) {
                    distribute(shift);
                }
            }
        }

        private void distribute(int shift) {
            Arrays.fill(starts, 0);
            for (int i = 0; i < size; i++) {
                starts[(int) (key(i) >>> shift & DIGITS - 1) + 1]++;
            }
            for (int digit = 0; digit < DIGITS; digit++) {
                starts[digit + 1] += starts[digit];
            }
            for (int i = 0; i < size; i++) {
                long key = key(i);
                int to = starts[(int) (key >>> shift & DIGITS - 1)]++;
                arena.set(JAVA_LONG, otherKeys + (long) to * Long.BYTES, key);
                arena.set(JAVA_INT, otherPlaces + (long) to * Integer.BYTES, place(i));
            }
            long sortedKeys = otherKeys;
            long sortedPlaces = otherPlaces;
            otherKeys = keys;
            otherPlaces = places;
            keys = sortedKeys;
            places = sortedPlaces;
        }
    }
}
