package dev.remat.ir.op;

/** Operands that an operation cannot take; the message says what it wanted and what it got. */
public final class ShapeException extends RuntimeException {
    public ShapeException(String message) {
        super(message);
    }

    /** @throws ShapeException with {@code message} unless {@code condition} holds */
    static void require(boolean condition, String message, Object... arguments) {
        if (!condition) {
            throw new ShapeException(message.formatted(arguments));
        }
    }
}
