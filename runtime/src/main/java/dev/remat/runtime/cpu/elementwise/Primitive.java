package dev.remat.runtime.cpu.elementwise;

/** The elementwise operations a fused kernel is made of; each result is rounded to its own dtype. */
public enum Primitive {
    /** The first parameter. */
    CONSTANT(Form.NONE),
    /** The first parameter and the number that is read times the second. */
    IOTA(Form.INDEX),
    /** The entry of the table with the number that is read. */
    TABLE(Form.INDEX),
    /**
     * The index in a larger tensor: the first parameter is the block of elements, the second the number of pieces, and
     * the table may name the piece.
     */
    WHOLE_INDEX(Form.INDEX),
    /** By the element's index, as the next two; the second parameter is the ordinal. */
    DRAW_UNIFORM(Form.INDEX),
    DRAW_NORMAL(Form.INDEX),
    /** Below the first parameter. */
    DRAW_INTEGER(Form.INDEX),
    CAST(Form.CONVERSION),
    NEG(Form.UNARY),
    ABS(Form.UNARY),
    SIGN(Form.UNARY),
    FLOOR(Form.UNARY),
    SQRT(Form.UNARY),
    /** 1 / √x. */
    RSQRT(Form.UNARY),
    EXP(Form.UNARY),
    LOG(Form.UNARY),
    SIGMOID(Form.UNARY),
    TANH(Form.UNARY),
    ERF(Form.UNARY),
    CEIL(Form.UNARY),
    /** Halves to the even integer. */
    ROUND(Form.UNARY),
    /** Towards 0. */
    TRUNC(Form.UNARY),
    /** 1 / x. */
    RECIPROCAL(Form.UNARY),
    EXPM1(Form.UNARY),
    EXP2(Form.UNARY),
    LOG1P(Form.UNARY),
    LOG2(Form.UNARY),
    LOG10(Form.UNARY),
    SIN(Form.UNARY),
    COS(Form.UNARY),
    TAN(Form.UNARY),
    ASIN(Form.UNARY),
    ACOS(Form.UNARY),
    ATAN(Form.UNARY),
    SINH(Form.UNARY),
    COSH(Form.UNARY),
    ASINH(Form.UNARY),
    ACOSH(Form.UNARY),
    ATANH(Form.UNARY),
    RELU(Form.UNARY),
    /** x, or x times the first parameter where x is negative. */
    LEAKY_RELU(Form.UNARY),
    /** x · Φ(x). */
    GELU(Form.UNARY),
    GELU_TANH(Form.UNARY),
    SILU(Form.UNARY),
    /** log(1 + exp x). */
    SOFTPLUS(Form.UNARY),
    /** The first parameter at least, the second at most. */
    CLAMP(Form.UNARY),
    NOT(Form.NEGATION),
    ADD(Form.BINARY),
    SUB(Form.BINARY),
    MUL(Form.BINARY),
    DIV(Form.BINARY),
    MIN(Form.BINARY),
    MAX(Form.BINARY),
    POW(Form.BINARY),
    /** The quotient rounded down. */
    FLOORDIV(Form.BINARY),
    /** With the sign of the divisor. */
    REMAINDER(Form.BINARY),
    /** With the sign of the dividend. */
    FMOD(Form.BINARY),
    /** Ordinate, then abscissa. */
    ATAN2(Form.BINARY),
    EQ(Form.COMPARISON),
    NE(Form.COMPARISON),
    LT(Form.COMPARISON),
    LE(Form.COMPARISON),
    GT(Form.COMPARISON),
    GE(Form.COMPARISON),
    AND(Form.LOGICAL),
    OR(Form.LOGICAL),
    /** Gradient dy, then x. */
    GELU_GRAD(Form.BINARY),
    GELU_TANH_GRAD(Form.BINARY),
    SILU_GRAD(Form.BINARY),
    SOFTPLUS_GRAD(Form.BINARY),
    /** Value, then the element's index. */
    DROPOUT(Form.MASKING),
    /** Condition, value where it holds, value where not. */
    WHERE(Form.CHOICE);

    /** What it takes, and makes of that. */
    public enum Form {
        /** A number of its own. */
        NONE(0),
        /** A number that belongs to an index. */
        INDEX(1),
        CONVERSION(1),
        NEGATION(1),
        /** A function of one real number. */
        UNARY(1),
        /** A function of two real numbers. */
        BINARY(2),
        COMPARISON(2),
        LOGICAL(2),
        /** A number or nothing, by the index behind it. */
        MASKING(2),
        /** One of two by a condition before them. */
        CHOICE(3);

        private final int arity;

        Form(int arity) {
            this.arity = arity;
        }
    }

    private final Form form;

    Primitive(Form form) {
        this.form = form;
    }

    public Form form() {
        return form;
    }

    public int arity() {
        return form.arity;
    }

    /** About how long it takes, in sums of two numbers: a polynomial or a block of random words takes many. */
    int weight() {
        return switch (this) {
            case EXP,
                    LOG,
                    SIGMOID,
                    TANH,
                    ERF,
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
                    GELU,
                    GELU_TANH,
                    SILU,
                    SOFTPLUS,
                    POW,
                    FLOORDIV,
                    REMAINDER,
                    FMOD,
                    ATAN2,
                    GELU_GRAD,
                    GELU_TANH_GRAD,
                    SILU_GRAD,
                    SOFTPLUS_GRAD,
                    DROPOUT,
                    DRAW_UNIFORM,
                    DRAW_NORMAL,
                    DRAW_INTEGER -> 16;
            default -> 1;
        };
    }

    public boolean isComparison() {
        return form == Form.COMPARISON;
    }
}
