package dev.remat.runtime.cpu.elementwise;

import dev.remat.runtime.cpu.support.FloatBits;

/** The cheap f32 operations, one loop each so that the compiler turns every one into vector code. */
final class FloatArithmetic {
    private FloatArithmetic() {}

    static void add(float[] a, float[] b, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = a[i] + b[i];
        }
    }

    static void sub(float[] a, float[] b, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = a[i] - b[i];
        }
    }

    static void mul(float[] a, float[] b, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = a[i] * b[i];
        }
    }

    static void div(float[] a, float[] b, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = a[i] / b[i];
        }
    }

    static void min(float[] a, float[] b, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = Math.min(a[i], b[i]);
        }
    }

    static void max(float[] a, float[] b, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = Math.max(a[i], b[i]);
        }
    }

    static void neg(float[] a, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = -a[i];
        }
    }

    static void abs(float[] a, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = Math.abs(a[i]);
        }
    }

    static void sign(float[] a, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = Math.signum(a[i]);
        }
    }

    static void floor(float[] a, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = (float) Math.floor(a[i]);
        }
    }

    static void ceil(float[] a, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = (float) Math.ceil(a[i]);
        }
    }

    static void round(float[] a, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = (float) Math.rint(a[i]);
        }
    }

    static void trunc(float[] a, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = (float) Math.copySign(Math.floor(Math.abs(a[i])), a[i]);
        }
    }

    static void reciprocal(float[] a, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = 1 / a[i];
        }
    }

    static void sqrt(float[] a, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = (float) Math.sqrt(a[i]);
        }
    }

    static void rsqrt(float[] a, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = (float) (1 / Math.sqrt(a[i]));
        }
    }

    static void relu(float[] a, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = Math.max(a[i], 0f);
        }
    }

    static void leakyRelu(float[] a, float slope, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = Math.max(a[i], 0f) + Math.min(a[i], 0f) * slope;
        }
    }

    static void clamp(float[] a, float low, float high, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = Math.min(high, Math.max(low, a[i]));
        }
    }

    static void pow(float[] a, float[] b, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = (float) StrictMath.pow(a[i], b[i]);
        }
    }

    /** Functions that are seldom used, by way of doubles. */
    static void binary(Primitive primitive, float[] a, float[] b, float[] out, int n) {
        for (int i = 0; i < n; i++) {
            out[i] = (float) DoubleFunctions.binary(primitive, a[i], b[i]);
        }
    }

    static void compare(Primitive comparison, float[] a, float[] b, long[] out, int n, FloatBits bits) {
        switch (comparison) {
            case EQ -> {
                for (int i = 0; i < n; i++) {
                    out[i] = a[i] == b[i] ? 1 : 0;
                }
            }
            case NE -> {
                for (int i = 0; i < n; i++) {
                    out[i] = a[i] != b[i] ? 1 : 0;
                }
            }
            case LT -> bits.less(a, b, out, n);
            case LE -> bits.lessOrEqual(a, b, out, n);
            case GT -> bits.less(b, a, out, n);
            case GE -> bits.lessOrEqual(b, a, out, n);
            default -> throw new IllegalArgumentException("not a comparison: " + comparison);
        }
    }
}
