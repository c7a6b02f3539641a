package dev.remat.compiler.ast;

/** Prefix operators. */
public enum UnaryOperator {
    NEGATE("-"),
    NOT("not");

    private final String sign;

    UnaryOperator(String sign) {
        this.sign = sign;
    }

    /** As written. */
    public String sign() {
        return sign;
    }
}
