package dev.remat.runtime.cpu.elementwise;

/** The elementwise operations a fused kernel is made of; each result is rounded to its own dtype. */
public enum Primitive {
    /** The first parameter. */
    CONSTANT(0),
    /** The first parameter and the number that is read times the second. */
    IOTA(1),
    /** The entry of the table with the number that is read. */
    TABLE(1),
    /**
     * The index in a larger tensor: the first parameter is the block of elements, the second the number of pieces, and
     * the table may name the piece.
     */
    WHOLE_INDEX(1),
    /** By the element's index, as the next two; the second parameter is the ordinal. */
    DRAW_UNIFORM(1),
    DRAW_NORMAL(1),
    /** Below the first parameter. */
    DRAW_INTEGER(1),
    CAST(1),
    NEG(1),
    ABS(1),
    SIGN(1),
    FLOOR(1),
    SQRT(1),
    /** 1 / √x. */
    RSQRT(1),
    EXP(1),
    LOG(1),
    SIGMOID(1),
    TANH(1),
    ERF(1),
    CEIL(1),
    /** Halves to the even integer. */
    ROUND(1),
    /** Towards 0. */
    TRUNC(1),
    /** 1 / x. */
    RECIPROCAL(1),
    EXPM1(1),
    EXP2(1),
    LOG1P(1),
    LOG2(1),
    LOG10(1),
    SIN(1),
    COS(1),
    TAN(1),
    ASIN(1),
    ACOS(1),
    ATAN(1),
    SINH(1),
    COSH(1),
    ASINH(1),
    ACOSH(1),
    ATANH(1),
    RELU(1),
    /** x, or x times the first parameter where x is negative. */
    LEAKY_RELU(1),
    /** x · Φ(x). */
    GELU(1),
    GELU_TANH(1),
    SILU(1),
    /** log(1 + exp x). */
    SOFTPLUS(1),
    /** The first parameter at least, the second at most. */
    CLAMP(1),
    NOT(1),
    ADD(2),
    SUB(2),
    MUL(2),
    DIV(2),
    MIN(2),
    MAX(2),
    POW(2),
    /** The quotient rounded down. */
    FLOORDIV(2),
    /** With the sign of the divisor. */
    REMAINDER(2),
    /** With the sign of the dividend. */
    FMOD(2),
    /** Ordinate, then abscissa. */
    ATAN2(2),
    EQ(2),
    NE(2),
    LT(2),
    LE(2),
    GT(2),
    GE(2),
    AND(2),
    OR(2),
    /** Gradient dy, then x. */
    GELU_GRAD(2),
    GELU_TANH_GRAD(2),
    SILU_GRAD(2),
    SOFTPLUS_GRAD(2),
    /** Value, then the element's index. */
    DROPOUT(2),
    /** Condition, value where it holds, value where not. */
    WHERE(3);

    private final int arity;

    Primitive(int arity) {
        this.arity = arity;
    }

    public int arity() {
        return arity;
    }

    public boolean isComparison() {
        return switch (this) {
            case EQ, NE, LT, LE, GT, GE -> true;
            case CONSTANT,
                    IOTA,
                    TABLE,
                    WHOLE_INDEX,
                    CAST,
                    NEG,
                    ABS,
                    SIGN,
                    FLOOR,
                    SQRT,
                    RSQRT,
                    EXP,
                    LOG,
                    SIGMOID,
                    TANH,
                    ERF,
                    CEIL,
                    ROUND,
                    TRUNC,
                    RECIPROCAL,
                    EXPM1,
                    EXP2,
                    LOG1P,
                    LOG2,
                    LOG10,
                    SIN,
                    COS,
                    TAN,
                    ASIN,
                    ACOS,
                    ATAN,
                    SINH,
                    COSH,
                    ASINH,
                    ACOSH,
                    ATANH,
                    RELU,
                    LEAKY_RELU,
                    GELU,
                    GELU_TANH,
                    SILU,
                    SOFTPLUS,
                    CLAMP,
                    NOT,
                    ADD,
                    SUB,
                    MUL,
                    DIV,
                    MIN,
                    MAX,
                    POW,
                    FLOORDIV,
                    REMAINDER,
                    FMOD,
                    ATAN2,
                    AND,
                    OR,
                    GELU_GRAD,
                    GELU_TANH_GRAD,
                    SILU_GRAD,
                    SOFTPLUS_GRAD,
                    DRAW_UNIFORM,
                    DRAW_NORMAL,
                    DRAW_INTEGER,
                    DROPOUT,
                    WHERE -> false;
        };
    }
}
