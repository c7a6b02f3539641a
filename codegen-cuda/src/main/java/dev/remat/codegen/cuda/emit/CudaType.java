package dev.remat.codegen.cuda.emit;

import dev.remat.ir.DType;

/** Names of element types in kernels. */
public final class CudaType {
    private CudaType() {}

    /** As stored: {@code float}, {@code bf16}, {@code u8} for a bool or eight bits. */
    public static String of(DType type) {
        return switch (type) {
            case F32 -> "float";
            case BF16 -> "bf16";
            case F16 -> "f16";
            case F64 -> "double";
            case I32 -> "i32";
            case I64 -> "i64";
            case BOOL, BIT -> "u8";
            case SEED -> throw new IllegalArgumentException("seeds are not stored");
        };
    }

    /** As computed with: {@code float} for the 16-bit floats. */
    public static String accumulator(DType type) {
        return of(type.accumulator());
    }

    /** A number as a literal of the type that {@code type} is computed in, exact. */
    public static String literal(DType type, double value) {
        return switch (type) {
            case F32, BF16, F16 -> floating((float) value);
            case F64 -> wide(value);
            case I32 -> "static_cast<i32>(" + (long) value + ")";
            case I64 -> (long) value == Long.MIN_VALUE ? "(-9223372036854775807ll - 1)" : (long) value + "ll";
            case BOOL, BIT -> value == 0 ? "u8(0)" : "u8(1)";
            case SEED -> throw new IllegalArgumentException("seeds are not numbers");
        };
    }

    /** The type of the bits of a number, which a static table may hold: integers for floats. */
    static String bits(DType type) {
        return switch (type) {
            case F32 -> "u32";
            case F64 -> "u64";
            case I32, I64, BOOL, BIT, BF16, F16, SEED -> of(type);
        };
    }

    /** A number as a literal of {@link #bits}. */
    static String bitsOf(DType type, double value) {
        return switch (type) {
            case F32 -> "0x" + Integer.toHexString(Float.floatToRawIntBits((float) value)) + "u";
            case F64 -> "0x" + Long.toHexString(Double.doubleToRawLongBits(value)) + "ull";
            case I32, I64, BOOL, BIT, BF16, F16, SEED -> literal(type, value);
        };
    }

    /** The number whose bits the expression gives. */
    static String ofBits(DType type, String bits) {
        return switch (type) {
            case F32 -> "__uint_as_float(" + bits + ")";
            case F64 -> "__longlong_as_double(static_cast<i64>(" + bits + "))";
            case I32, I64, BOOL, BIT, BF16, F16, SEED -> bits;
        };
    }

    private static String floating(float value) {
        return "__uint_as_float(0x" + Integer.toHexString(Float.floatToRawIntBits(value)) + "u) /* " + value + " */";
    }

    private static String wide(double value) {
        return "__longlong_as_double(0x" + Long.toHexString(Double.doubleToRawLongBits(value)) + "ll) /* " + value
                + " */";
    }
}
