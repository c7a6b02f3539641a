package dev.remat.runtime.io;

import dev.remat.ir.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * Copies stored elements into a buffer of an IR type. Allowed are equal types, integers to any integer type that holds
 * the values, and any number to a float type, rounded to nearest even; the 16-bit ones by way of f32.
 */
public final class ElementConversion {
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfDouble DOUBLE =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final long BLOCK = 64;

    private ElementConversion() {}

    /** Whether {@link #copy} converts from one type to the other. */
    public static boolean isAllowed(StoredType from, DType to) {
        if (from.dtype().isPresent() && from.dtype().get() == to) {
            return true;
        }
        return switch (from) {
            case F64, F32, F16, BF16 -> to.isFloat();
            case I64, I32, I16, I8, U64, U32, U16, U8 -> to.isFloat() || to.isInteger();
            case BOOL -> to.isFloat() || to.isInteger();
            case F8_E4M3, F8_E5M2 -> false;
        };
    }

    /**
     * Copies {@code count} elements from element {@code first} on.
     *
     * @throws DataException if a value does not fit the integer type asked for
     */
    public static void copy(
            StoredTensor source, long first, long count, DType to, MemorySegment target, long targetByte) {
        StoredType from = source.type();
        if (from.dtype().isPresent() && from.dtype().get() == to) {
            MemorySegment.copy(source.data(), first * from.bytes(), target, targetByte, count * from.bytes());
            return;
        }
        for (long i = 0; i < count; i++) {
            long at = targetByte + i * to.bytes();
            if (to.isInteger()) {
                putInteger(source, first + i, to, target, at);
            } else {
                put(floatAt(source, first + i), to, target, at);
            }
        }
    }

    /**
     * A tensor under a name and of another type, rounded once.
     *
     * @param arena of the new elements; where the type stays, they are those of the source
     */
    public static StoredTensor convert(StoredTensor source, String name, DType to, Arena arena) {
        if (source.type().dtype().equals(Optional.of(to))) {
            return new StoredTensor(name, source.type(), source.shape(), source.data());
        }
        MemorySegment data = arena.allocate(source.elements() * to.bytes(), Long.BYTES);
        copy(source, 0, source.elements(), to, data, 0);
        return new StoredTensor(name, StoredType.of(to), source.shape(), data);
    }

    /** Exchanges rows and columns of a matrix of elements of so many bytes, in blocks that a cache holds. */
    static void transpose(MemorySegment source, long rows, long columns, int bytes, MemorySegment target) {
        for (long top = 0; top < rows; top += BLOCK) {
            long bottom = Math.min(rows, top + BLOCK);
            for (long left = 0; left < columns; left += BLOCK) {
                long right = Math.min(columns, left + BLOCK);
                for (long column = left; column < right; column++) {
                    for (long row = top; row < bottom; row++) {
                        move(source, row * columns + column, bytes, target, column * rows + row);
                    }
                }
            }
        }
    }

    private static void move(MemorySegment source, long from, int bytes, MemorySegment target, long to) {
        switch (bytes) {
            case 8 -> target.set(LONG, to * 8, source.get(LONG, from * 8));
            case 4 -> target.set(INT, to * 4, source.get(INT, from * 4));
            case 2 -> target.set(SHORT, to * 2, source.get(SHORT, from * 2));
            default -> target.set(ValueLayout.JAVA_BYTE, to, source.get(ValueLayout.JAVA_BYTE, from));
        }
    }

    private static void putInteger(StoredTensor source, long index, DType to, MemorySegment target, long at) {
        long value = integerAt(source, index);
        boolean fits = to == DType.I32 ? value == (int) value : source.type() != StoredType.U64 || value >= 0;
        if (!fits) {
            throw new DataException("element " + index + " of " + source.name() + " does not fit " + to.label() + ": "
                    + (source.type() == StoredType.U64 ? Long.toUnsignedString(value) : value));
        }
        if (to == DType.I32) {
            target.set(INT, at, (int) value);
        } else {
            target.set(LONG, at, value);
        }
    }

    /** Writes one element at a byte of the target, rounded to a float type or cut to an integer type. */
    public static void put(double value, DType to, MemorySegment target, long at) {
        switch (to) {
            case F64 -> target.set(DOUBLE, at, value);
            case F32 -> target.set(FLOAT, at, (float) value);
            case F16 -> target.set(SHORT, at, Float.floatToFloat16((float) value));
            case BF16 -> target.set(SHORT, at, toBfloat16((float) value));
            case I32 -> target.set(INT, at, (int) value);
            case I64 -> target.set(LONG, at, (long) value);
            case BOOL -> target.set(ValueLayout.JAVA_BYTE, at, (byte) (value == 0 ? 0 : 1));
            case BIT, SEED -> throw new IllegalArgumentException("no element is a " + to);
        }
    }

    /** Rounds to nearest even; NaN stays NaN. */
    private static short toBfloat16(float value) {
        int bits = Float.floatToRawIntBits(value);
        if (Float.isNaN(value)) {
            return (short) (bits >>> 16 | 0x40);
        }
        return (short) (bits + 0x7fff + (bits >>> 16 & 1) >>> 16);
    }

    private static double floatAt(StoredTensor source, long index) {
        MemorySegment data = source.data();
        return switch (source.type()) {
            case F64 -> data.get(DOUBLE, index * 8);
            case F32 -> data.get(FLOAT, index * 4);
            case F16 -> Float.float16ToFloat(data.get(SHORT, index * 2));
            case BF16 -> Float.intBitsToFloat(data.get(SHORT, index * 2) << 16);
            case U64 -> unsignedToDouble(data.get(LONG, index * 8));
            case I64, I32, I16, I8, U32, U16, U8, BOOL -> integerAt(source, index);
            case F8_E4M3, F8_E5M2 -> throw new IllegalArgumentException(source.type() + " cannot be read");
        };
    }

    private static double unsignedToDouble(long bits) {
        return bits >= 0 ? bits : 2.0 * (bits >>> 1 | bits & 1);
    }

    private static long integerAt(StoredTensor source, long index) {
        MemorySegment data = source.data();
        return switch (source.type()) {
            case I64, U64 -> data.get(LONG, index * 8);
            case I32 -> data.get(INT, index * 4);
            case U32 -> Integer.toUnsignedLong(data.get(INT, index * 4));
            case I16 -> data.get(SHORT, index * 2);
            case U16 -> Short.toUnsignedLong(data.get(SHORT, index * 2));
            case I8 -> data.get(ValueLayout.JAVA_BYTE, index);
            case U8 -> Byte.toUnsignedLong(data.get(ValueLayout.JAVA_BYTE, index));
            case BOOL -> data.get(ValueLayout.JAVA_BYTE, index) == 0 ? 0 : 1;
            case F64, F32, F16, BF16, F8_E4M3, F8_E5M2 ->
                throw new IllegalArgumentException(source.type() + " is no integer type");
        };
    }
}
