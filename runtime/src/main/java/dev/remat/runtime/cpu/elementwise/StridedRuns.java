package dev.remat.runtime.cpu.elementwise;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram.Input;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram.Reading;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Registers;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.StridedCursor;
import dev.remat.runtime.cpu.support.TensorView;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Loads and stores consecutive positions of an iteration space, one inner loop or two after another. */
public final class StridedRuns {
    private StridedRuns() {}

    /** Positions {@code start} to {@code start + n} of an input into a register. */
    public static void load(
            MemorySegment arena, Input input, TensorView from, long start, int n, int register, Scratch scratch) {
        boolean index = input.reading() == Reading.INDEX;
        StridedCursor cursor =
                scratch.cursor.start(from, index ? 1 : input.type().bytes(), start);
        if (input.reading() == Reading.ELEMENT && input.type() == DType.F32) {
            moveFloats(arena, cursor, n, scratch.registers.floats[register], false);
            return;
        }
        for (int done = 0; done < n; ) {
            int run = cursor.run(n - done);
            switch (input.reading()) {
                case ELEMENT -> load(arena, input.type(), cursor, register, done, run, scratch);
                case RECIPROCAL_ROOT -> loadReciprocalRoots(arena, input, cursor, register, done, run, scratch);
                case INDEX -> {
                    long[] to = scratch.registers.longs[register];
                    long first = cursor.offset();
                    long stride = cursor.stride();
                    for (int i = 0; i < run; i++) {
                        to[done + i] = first + i * stride;
                    }
                }
            }
            done += run;
            cursor.advance(run);
        }
    }

    /** A register into positions {@code start} to {@code start + n} of a tensor. */
    public static void store(MemorySegment arena, TensorView to, long start, int n, int register, Scratch scratch) {
        StridedCursor cursor = scratch.cursor.start(to, to.type().bytes(), start);
        if (to.type() == DType.F32) {
            moveFloats(arena, cursor, n, scratch.registers.floats[register], true);
            return;
        }
        for (int done = 0; done < n; ) {
            int run = cursor.run(n - done);
            store(arena, to.type(), cursor, register, done, run, scratch);
            done += run;
            cursor.advance(run);
        }
    }

    /** Whole rows in one loop: half of all that models read through strides are rows of 16 to 64 floats. */
    private static void moveFloats(MemorySegment arena, StridedCursor cursor, int n, float[] register, boolean stores) {
        for (int done = 0; done < n; ) {
            int run = cursor.run(n - done);
            int rows = cursor.rows(n - done);
            if (stores) {
                storeRows(arena, cursor.offset(), cursor.rowStep(), cursor.stride(), rows, run, register, done);
            } else {
                loadRows(arena, cursor.offset(), cursor.rowStep(), cursor.stride(), rows, run, register, done);
            }
            done += rows * run;
            cursor.advance(rows, run);
        }
    }

    private static void loadRows(
            MemorySegment arena, long offset, long rowStep, long stride, int rows, int run, float[] to, int at) {
        if (stride == 1) {
            MemorySegment register = MemorySegment.ofArray(to);
            long bytes = (long) run * Float.BYTES;
            for (int row = 0; row < rows; row++) {
                MemorySegment.copy(
                        arena, offset + row * rowStep, register, (long) at * Float.BYTES + row * bytes, bytes);
            }
        } else if (stride == 0) {
            for (int row = 0; row < rows; row++) {
                int first = at + row * run;
                Arrays.fill(to, first, first + run, arena.get(JAVA_FLOAT, offset + row * rowStep));
            }
        } else {
            long step = stride * Float.BYTES;
            for (int row = 0; row < rows; row++) {
                long from = offset + row * rowStep;
                int first = at + row * run;
                for (int i = 0; i < run; i++) {
                    to[first + i] = arena.get(JAVA_FLOAT, from + i * step);
                }
            }
        }
    }

    private static void storeRows(
            MemorySegment arena, long offset, long rowStep, long stride, int rows, int run, float[] from, int at) {
        if (stride == 1) {
            MemorySegment register = MemorySegment.ofArray(from);
            long bytes = (long) run * Float.BYTES;
            for (int row = 0; row < rows; row++) {
                MemorySegment.copy(
                        register, (long) at * Float.BYTES + row * bytes, arena, offset + row * rowStep, bytes);
            }
        } else {
            long step = stride * Float.BYTES;
            for (int row = 0; row < rows; row++) {
                long to = offset + row * rowStep;
                int first = at + row * run;
                for (int i = 0; i < run; i++) {
                    arena.set(JAVA_FLOAT, to + i * step, from[first + i]);
                }
            }
        }
    }

    private static void loadReciprocalRoots(
            MemorySegment arena, Input input, StridedCursor cursor, int register, int at, int n, Scratch scratch) {
        int distinct = cursor.stride() == 0 ? 1 : n;
        for (int i = 0; i < distinct; i++) {
            long offset = cursor.offset() + i * cursor.stride() * input.type().bytes();
            double value = Elements.get(arena, input.type(), offset);
            double root = 1 / Math.sqrt(value + input.epsilon());
            if (input.type() == DType.F64) {
                Arrays.fill(scratch.registers.doubles[register], at + i, at + (distinct == 1 ? n : i + 1), root);
            } else {
                Arrays.fill(scratch.registers.floats[register], at + i, at + (distinct == 1 ? n : i + 1), (float) root);
            }
        }
    }

    private static void load(
            MemorySegment arena, DType type, StridedCursor cursor, int register, int at, int n, Scratch scratch) {
        Registers registers = scratch.registers;
        long offset = cursor.offset();
        long stride = cursor.stride();
        long step = stride * type.bytes();
        switch (type) {
            case F32, BF16, F16 -> {
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
            case BIT, SEED -> throw new IllegalArgumentException("the CPU computes no " + type);
        }
    }

    private static void store(
            MemorySegment arena, DType type, StridedCursor cursor, int register, int at, int n, Scratch scratch) {
        Registers registers = scratch.registers;
        long offset = cursor.offset();
        long stride = cursor.stride();
        long step = stride * type.bytes();
        switch (type) {
            case F32, BF16, F16 -> {
                float[] from = registers.floats[register];
                if (stride == 1) {
                    Elements.store(arena, type, offset, from, at, n, scratch);
                } else {
                    for (int i = 0; i < n; i++) {
                        Elements.set(arena, type, offset + i * step, from[at + i]);
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
            case BIT, SEED -> throw new IllegalArgumentException("the CPU computes no " + type);
        }
    }
}
