package dev.remat.tests.reference;

import dev.remat.ir.DType;

/** What happens to the doubles that an operation gives. */
public enum Rounding {
    /** Floats stay doubles, whatever their dtype: the mathematical value. */
    NONE,
    /** Floats are rounded to their dtype, to nearest and ties to even. */
    TO_DTYPE;

    double round(double value, DType dtype) {
        return switch (dtype) {
            case F32 -> this == NONE ? value : (float) value;
            case BF16 -> this == NONE ? value : round(value, 8, -126, 0x1.FEp127);
            case F16 -> this == NONE ? value : round(value, 11, -14, 65504);
            case F64, I32, I64, BOOL, BIT, SEED -> value;
        };
    }

    /** Every element rounded to the dtype of the tensor. */
    public Tensor round(Tensor tensor) {
        return tensor.map(tensor.type(), value -> round(value, tensor.type().dtype()));
    }

    /** @param digits binary digits of the significand, the first one counted */
    private static double round(double value, int digits, int smallestExponent, double largest) {
        if (value == 0 || !Double.isFinite(value)) {
            return value;
        }
        int exponent = Math.max(Math.getExponent(value), smallestExponent);
        double unit = Math.scalb(1.0, exponent - (digits - 1));
        double rounded = Math.rint(value / unit) * unit;
        return Math.abs(rounded) > largest ? Math.copySign(Double.POSITIVE_INFINITY, value) : rounded;
    }
}
