package dev.remat.compiler.pipeline;

/** Stages of a set do not go together: one would wait for ever, or get other bytes than it takes. */
public final class SetViolationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SetViolationException(String problem) {
        super(problem);
    }
}
