package dev.remat.runtime.cpu;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.remat.ir.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Loads and stores consecutive positions of an iteration space, one inner loop after another. */
final class StridedRuns {
    /** Below this length a loop is faster than a bulk copy. */
    private static final int SHORT = 16;

    private StridedRuns() {
    }

    /** Positions {@code start} to {@code start + n} of a tensor into a register; from the register if {@code store}. */
    static void move(MemorySegment arena, DType type, long offset, int[] dims, long[] strides, long start, int n,
            int register, boolean store, Scratch scratch) {
        int last = dims.length - 1;
        long bytes = type.bytes();
        int[] at = scratch.coordinates;
        long rest = start;
        long address = offset;
        for (int d = last; d >= 0; d--) {
            at[d] = (int) (rest % dims[d]);
            rest /= dims[d];
            address += at[d] * strides[d] * bytes;
        }
        for (int done = 0; done < n;) {
            int run = Math.min(dims[last] - at[last], n - done);
            if (store) {
                store(arena, type, address, strides[last], register, done, run, scratch);
            } else {
                load(arena, type, address, strides[last], register, done, run, scratch);
            }
            done += run;
            if (done == n) {
                return;
            }
            address -= at[last] * strides[last] * bytes;
            at[last] = 0;
            for (int d = last - 1; d >= 0; d--) {
                at[d]++;
                address += strides[d] * bytes;
                if (at[d] < dims[d]) {
                    break;
                }
                address -= at[d] * strides[d] * bytes;
                at[d] = 0;
            }
        }
    }

    private static void load(MemorySegment arena, DType type, long offset, long stride, int register, int at, int n,
            Scratch scratch) {
        Registers registers = scratch.registers;
        long step = stride * type.bytes();
        switch (type) {
            case F32 -> {
                float[] to = registers.floats[register];
                if (stride == 0) {
                    Arrays.fill(to, at, at + n, arena.get(JAVA_FLOAT, offset));
                } else if (stride == 1 && n >= SHORT) {
                    MemorySegment.copy(arena, JAVA_FLOAT, offset, to, at, n);
                } else {
                    for (int i = 0; i < n; i++) {
                        to[at + i] = arena.get(JAVA_FLOAT, offset + i * step);
                    }
                }
            }
            case BF16, F16 -> {
                float[] to = registers.floats[register];
                if (stride == 1) {
                    Elements.load(arena, type, offset, to, at, n, scratch);
                } else {
                    for (int i = 0; i < n; i++) {
                        to[at + i] = (float) Elements.get(arena, type, offset + i * step);
                    }
                }
            }
            case F64 -> {
                double[] to = registers.doubles[register];
                for (int i = 0; i < n; i++) {
                    to[at + i] = arena.get(JAVA_DOUBLE, offset + i * step);
                }
            }
            case I32 -> {
                long[] to = registers.longs[register];
                for (int i = 0; i < n; i++) {
                    to[at + i] = arena.get(JAVA_INT, offset + i * step);
                }
            }
            case I64 -> {
                long[] to = registers.longs[register];
                for (int i = 0; i < n; i++) {
                    to[at + i] = arena.get(JAVA_LONG, offset + i * step);
                }
            }
            case BOOL -> {
                long[] to = registers.longs[register];
                for (int i = 0; i < n; i++) {
                    to[at + i] = arena.get(JAVA_BYTE, offset + i * step);
                }
            }
            case SEED -> throw new IllegalArgumentException("seeds have no elements");
        }
    }

    private static void store(MemorySegment arena, DType type, long offset, long stride, int register, int at, int n,
            Scratch scratch) {
        Registers registers = scratch.registers;
        long step = stride * type.bytes();
        switch (type) {
            case F32 -> {
                float[] from = registers.floats[register];
                if (stride == 1 && n >= SHORT) {
                    MemorySegment.copy(from, at, arena, JAVA_FLOAT, offset, n);
                } else {
                    for (int i = 0; i < n; i++) {
                        arena.set(JAVA_FLOAT, offset + i * step, from[at + i]);
                    }
                }
            }
            case BF16, F16 -> {
                float[] from = registers.floats[register];
                if (stride == 1) {
                    Elements.store(arena, type, offset, from, at, n, scratch);
                } else {
                    for (int i = 0; i < n; i++) {
                        short bits = type == DType.BF16 ? SixteenBit.toBf16(from[at + i])
                                : Float.floatToFloat16(from[at + i]);
                        arena.set(JAVA_SHORT, offset + i * step, bits);
                    }
                }
            }
            case F64 -> {
                double[] from = registers.doubles[register];
                for (int i = 0; i < n; i++) {
                    arena.set(JAVA_DOUBLE, offset + i * step, from[at + i]);
                }
            }
            case I32 -> {
                long[] from = registers.longs[register];
                for (int i = 0; i < n; i++) {
                    arena.set(JAVA_INT, offset + i * step, (int) from[at + i]);
                }
            }
            case I64 -> {
                long[] from = registers.longs[register];
                for (int i = 0; i < n; i++) {
                    arena.set(JAVA_LONG, offset + i * step, from[at + i]);
                }
            }
            case BOOL -> {
                long[] from = registers.longs[register];
                for (int i = 0; i < n; i++) {
                    arena.set(JAVA_BYTE, offset + i * step, (byte) from[at + i]);
                }
            }
            case SEED -> throw new IllegalArgumentException("seeds have no elements");
        }
    }
}
