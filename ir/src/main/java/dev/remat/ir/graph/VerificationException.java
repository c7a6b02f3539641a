package dev.remat.ir.graph;

/** A stage broke a promise of the IR: a defect of the compiler, never of the model. */
public final class VerificationException extends RuntimeException {
    public VerificationException(String message) {
        super(message);
    }
}
