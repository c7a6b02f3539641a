package dev.remat.compiler.ast;

/** Infix operators except {@code |>}; a higher precedence binds tighter. */
public enum BinaryOperator {
    POWER("**", 8),
    MULTIPLY("*", 6),
    DIVIDE("/", 6),
    REMAINDER("%", 6),
    MATMUL("@", 6),
    ADD("+", 5),
    SUBTRACT("-", 5),
    EQUAL("==", 4),
    UNEQUAL("!=", 4),
    LESS("<", 4),
    AT_MOST("<=", 4),
    GREATER(">", 4),
    AT_LEAST(">=", 4),
    AND("and", 2),
    OR("or", 1);

    private final String sign;
    private final int precedence;

    BinaryOperator(String sign, int precedence) {
        this.sign = sign;
        this.precedence = precedence;
    }

    /** As written. */
    public String sign() {
        return sign;
    }

    /** From 1 ({@code or}) to 8 ({@code **}); unary minus is 7, {@code not} is 3. */
    public int precedence() {
        return precedence;
    }

    /** @throws IllegalArgumentException if no operator is written so */
    public static BinaryOperator ofSign(String sign) {
        for (BinaryOperator operator : values()) {
            if (operator.sign.equals(sign)) {
                return operator;
            }
        }
        throw new IllegalArgumentException("no operator is written " + sign);
    }
}
