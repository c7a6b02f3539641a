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
    DRAW_UNIFORM(Form.INDEX, Form.MANY),
    DRAW_NORMAL(Form.INDEX, Form.MANY),
    /** Below the first parameter. */
    DRAW_INTEGER(Form.INDEX, Form.MANY),
    CAST(Form.CONVERSION),
    NEG(Form.UNARY),
    ABS(Form.UNARY),
    SIGN(Form.UNARY),
    FLOOR(Form.UNARY),
    SQRT(Form.UNARY),
    /** 1 / √x. */
    RSQRT(Form.UNARY),
    EXP(Form.UNARY, Form.MANY),
    LOG(Form.UNARY, Form.MANY),
    SIGMOID(Form.UNARY, Form.MANY),
    TANH(Form.UNARY, Form.MANY),
    ERF(Form.UNARY, Form.MANY),
    CEIL(Form.UNARY),
    /** Halves to the even integer. */
    ROUND(Form.UNARY),
    /** Towards 0. */
    TRUNC(Form.UNARY),
    /** 1 / x. */
    RECIPROCAL(Form.UNARY),
    EXPM1(Form.UNARY, Form.MANY),
    EXP2(Form.UNARY, Form.MANY),
    LOG1P(Form.UNARY, Form.MANY),
    LOG2(Form.UNARY, Form.MANY),
    LOG10(Form.UNARY, Form.MANY),
    SIN(Form.UNARY, Form.MANY),
    COS(Form.UNARY, Form.MANY),
    TAN(Form.UNARY, Form.MANY),
    ASIN(Form.UNARY, Form.MANY),
    ACOS(Form.UNARY, Form.MANY),
    ATAN(Form.UNARY, Form.MANY),
    SINH(Form.UNARY, Form.MANY),
    COSH(Form.UNARY, Form.MANY),
    ASINH(Form.UNARY, Form.MANY),
    ACOSH(Form.UNARY, Form.MANY),
    ATANH(Form.UNARY, Form.MANY),
    RELU(Form.UNARY),
    /** x, or x times the first parameter where x is negative. */
    LEAKY_RELU(Form.UNARY),
    /** x · Φ(x). */
    GELU(Form.UNARY, Form.MANY),
    GELU_TANH(Form.UNARY, Form.MANY),
    SILU(Form.UNARY, Form.MANY),
    /** log(1 + exp x). */
    SOFTPLUS(Form.UNARY, Form.MANY),
    /** The first parameter at least, the second at most. */
    CLAMP(Form.UNARY),
    NOT(Form.NEGATION),
    ADD(Form.BINARY),
    SUB(Form.BINARY),
    MUL(Form.BINARY),
    DIV(Form.BINARY),
    MIN(Form.BINARY),
    MAX(Form.BINARY),
    POW(Form.BINARY, Form.MANY),
    /** The quotient rounded down. */
    FLOORDIV(Form.BINARY, Form.MANY),
    /** With the sign of the divisor. */
    REMAINDER(Form.BINARY, Form.MANY),
    /** With the sign of the dividend. */
    FMOD(Form.BINARY, Form.MANY),
    /** Ordinate, then abscissa. */
    ATAN2(Form.BINARY, Form.MANY),
    EQ(Form.COMPARISON),
    NE(Form.COMPARISON),
    LT(Form.COMPARISON),
    LE(Form.COMPARISON),
    GT(Form.COMPARISON),
    GE(Form.COMPARISON),
    AND(Form.LOGICAL),
    OR(Form.LOGICAL),
    /** Gradient dy, then x. */
    GELU_GRAD(Form.BINARY, Form.MANY),
    GELU_TANH_GRAD(Form.BINARY, Form.MANY),
    SILU_GRAD(Form.BINARY, Form.MANY),
    SOFTPLUS_GRAD(Form.BINARY, Form.MANY),
    /** Value, then the element's index. */
    DROPOUT(Form.MASKING, Form.MANY),
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

        /** Sums that a polynomial or a block of random words takes as long as. */
        private static final int MANY = 16;

        private final int arity;

        Form(int arity) {
            this.arity = arity;
        }
    }

    private final Form form;
    private final int weight;

    Primitive(Form form) {
        this(form, 1);
    }

    Primitive(Form form, int weight) {
        this.form = form;
        this.weight = weight;
    }

    public Form form() {
        return form;
    }

    public int arity() {
        return form.arity;
    }

    /** About how long it takes, in sums of two numbers. */
    int weight() {
        return weight;
    }

    public boolean isComparison() {
        return form == Form.COMPARISON;
    }
}
