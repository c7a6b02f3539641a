package dev.remat.runtime.cpu.support;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.remat.ir.DType;
import java.lang.foreign.MemorySegment;

/**
 * Moves runs of neighbouring elements between the arena and Java arrays, converting between storage dtypes and the
 * arithmetic ones. Offsets are bytes, counts are elements and at most {@link Scratch#CHUNK}.
 */
public final class Elements {
    /** Stands for the offset of what is not there. */
    public static final long NONE = -1;

    private Elements() {}

    /** Loads a run of any floating dtype as floats; f64 is rounded. */
    public static void load(
            MemorySegment arena, DType type, long offset, float[] to, int at, int count, Scratch scratch) {
        switch (type) {
            case F32 -> MemorySegment.copy(arena, JAVA_FLOAT, offset, to, at, count);
            case BF16 -> {
                MemorySegment.copy(arena, JAVA_SHORT, offset, scratch.shorts, 0, count);
                SixteenBit.fromBf16(scratch.shorts, to, at, count);
            }
            case F16 -> {
                MemorySegment.copy(arena, JAVA_SHORT, offset, scratch.shorts, 0, count);
                SixteenBit.fromF16(scratch.shorts, to, at, count);
            }
            case F64 -> {
                MemorySegment.copy(arena, JAVA_DOUBLE, offset, scratch.doubles, 0, count);
                narrow(scratch.doubles, 0, to, at, count);
            }
            case I32, I64, BOOL, BIT, SEED -> throw notFloating(type);
        }
    }

    /** Stores a run of floats in any floating dtype, rounding to nearest even. */
    public static void store(
            MemorySegment arena, DType type, long offset, float[] from, int at, int count, Scratch scratch) {
        switch (type) {
            case F32 -> MemorySegment.copy(from, at, arena, JAVA_FLOAT, offset, count);
            case BF16 -> {
                SixteenBit.toBf16(from, at, scratch.shorts, count);
                MemorySegment.copy(scratch.shorts, 0, arena, JAVA_SHORT, offset, count);
            }
            case F16 -> {
                SixteenBit.toF16(from, at, scratch.shorts, count);
                MemorySegment.copy(scratch.shorts, 0, arena, JAVA_SHORT, offset, count);
            }
            case F64 -> {
                widen(from, at, scratch.doubles, 0, count);
                MemorySegment.copy(scratch.doubles, 0, arena, JAVA_DOUBLE, offset, count);
            }
            case I32, I64, BOOL, BIT, SEED -> throw notFloating(type);
        }
    }

    /** Loads a run of any floating dtype as doubles, exactly. */
    public static void load(
            MemorySegment arena, DType type, long offset, double[] to, int at, int count, Scratch scratch) {
        if (type == DType.F64) {
            MemorySegment.copy(arena, JAVA_DOUBLE, offset, to, at, count);
        } else {
            load(arena, type, offset, scratch.floats, 0, count, scratch);
            widen(scratch.floats, 0, to, at, count);
        }
    }

    /** Stores a run of doubles in any floating dtype; 16-bit floats are rounded by way of f32. */
    public static void store(
            MemorySegment arena, DType type, long offset, double[] from, int at, int count, Scratch scratch) {
        if (type == DType.F64) {
            MemorySegment.copy(from, at, arena, JAVA_DOUBLE, offset, count);
        } else {
            narrow(from, at, scratch.floats, 0, count);
            store(arena, type, offset, scratch.floats, 0, count, scratch);
        }
    }

    /** One element of any floating dtype. */
    public static double get(MemorySegment arena, DType type, long offset) {
        return switch (type) {
            case F32 -> arena.get(JAVA_FLOAT, offset);
            case BF16 -> SixteenBit.fromBf16(arena.get(JAVA_SHORT, offset));
            case F16 -> Float.float16ToFloat(arena.get(JAVA_SHORT, offset));
            case F64 -> arena.get(JAVA_DOUBLE, offset);
            case I32, I64, BOOL, BIT, SEED -> throw notFloating(type);
        };
    }

    /** Stores one element of any floating dtype, rounding to nearest even. */
    public static void set(MemorySegment arena, DType type, long offset, double value) {
        switch (type) {
            case F32 -> arena.set(JAVA_FLOAT, offset, (float) value);
            case BF16 -> arena.set(JAVA_SHORT, offset, SixteenBit.toBf16((float) value));
            case F16 -> arena.set(JAVA_SHORT, offset, Float.floatToFloat16((float) value));
            case F64 -> arena.set(JAVA_DOUBLE, offset, value);
            case I32, I64, BOOL, BIT, SEED -> throw notFloating(type);
        }
    }

    /** One element of an integer or boolean dtype. */
    public static long getIndex(MemorySegment arena, DType type, long offset) {
        return switch (type) {
            case I32 -> arena.get(JAVA_INT, offset);
            case I64 -> arena.get(JAVA_LONG, offset);
            case BOOL -> arena.get(JAVA_BYTE, offset);
            case F32, BF16, F16, F64, BIT, SEED -> throw new IllegalArgumentException("not an integer dtype: " + type);
        };
    }

    /** Stores one element of an integer dtype; what does not fit wraps. */
    public static void setIndex(MemorySegment arena, DType type, long offset, long value) {
        switch (type) {
            case I32 -> arena.set(JAVA_INT, offset, (int) value);
            case I64 -> arena.set(JAVA_LONG, offset, value);
            case F32, BF16, F16, F64, BOOL, BIT, SEED ->
                throw new IllegalArgumentException("not an integer dtype: " + type);
        }
    }

    /**
     * Element {@code position} of the indices at {@code base}.
     *
     * @throws StrayIndexException unless it is from 0 to below {@code extent}
     */
    public static int getIndexBelow(MemorySegment arena, DType type, long base, long position, int extent) {
        long index = getIndex(arena, type, base + position * type.bytes());
        if (index < 0 || index >= extent) {
            throw new StrayIndexException(base, index, position, extent);
        }
        return (int) index;
    }

    /** Converts a run of floats, exactly. */
    public static void widen(float[] from, int at, double[] to, int toAt, int count) {
        for (int i = 0; i < count; i++) {
            to[toAt + i] = from[at + i];
        }
    }

    /** Converts a run of doubles, rounding to nearest even. */
    public static void narrow(double[] from, int at, float[] to, int toAt, int count) {
        for (int i = 0; i < count; i++) {
            to[toAt + i] = (float) from[at + i];
        }
    }

    private static IllegalArgumentException notFloating(DType type) {
        return new IllegalArgumentException("not a floating dtype: " + type);
    }
}
