package dev.remat.runtime.cpu.support;

import dev.remat.ir.DType;

/** Conversions between f32 and the two 16-bit floats, rounding to nearest, ties to even; NaN stays NaN. */
public final class SixteenBit {
    private SixteenBit() {}

    static float fromBf16(short bits) {
        return Float.intBitsToFloat(bits << 16);
    }

    public static short toBf16(float value) {
        return (short) (roundedBf16(Float.floatToRawIntBits(value)) >>> 16);
    }

    /** Rounds an array in place to the nearest values of {@code type}. */
    public static void round(DType type, float[] values, int count) {
        switch (type) {
            case BF16 -> {
                for (int i = 0; i < count; i++) {
                    int bits = roundedBf16(Float.floatToRawIntBits(values[i]));
                    values[i] = Float.intBitsToFloat(bits & 0xFFFF0000);
                }
            }
            case F16 -> {
                for (int i = 0; i < count; i++) {
                    values[i] = Float.float16ToFloat(Float.floatToFloat16(values[i]));
                }
            }
            case F32, F64, I32, I64, BOOL, BIT, SEED -> {}
        }
    }

    static void fromBf16(short[] from, float[] to, int at, int count) {
        for (int i = 0; i < count; i++) {
            to[at + i] = fromBf16(from[i]);
        }
    }

    static void toBf16(float[] from, int at, short[] to, int count) {
        for (int i = 0; i < count; i++) {
            to[i] = toBf16(from[at + i]);
        }
    }

    static void fromF16(short[] from, float[] to, int at, int count) {
        for (int i = 0; i < count; i++) {
            to[at + i] = Float.float16ToFloat(from[i]);
        }
    }

    static void toF16(float[] from, int at, short[] to, int count) {
        for (int i = 0; i < count; i++) {
            to[i] = Float.floatToFloat16(from[at + i]);
        }
    }

    private static int roundedBf16(int bits) {
        boolean nan = (bits & 0x7FFFFFFF) > 0x7F800000;
        return nan ? bits | 0x00400000 : bits + 0x7FFF + (bits >>> 16 & 1);
    }
}
