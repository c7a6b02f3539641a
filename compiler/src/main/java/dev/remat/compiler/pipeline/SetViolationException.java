package dev.remat.compiler.pipeline;

/** Stages of a set do not go together; says of which stages, and at which of their steps. */
public final class SetViolationException extends RuntimeException {
    /** What is wrong. */
    public enum Kind {
        /** A stage waits for ever. */
        STANDSTILL("E0901"),
        /** A stage takes other bytes than are sent. */
        MISMATCH("E0902");

        private final String code;

        Kind(String code) {
            this.code = code;
        }

        /** Explained by {@code remat help error}. */
        public String code() {
            return code;
        }
    }

    private final Kind kind;

    SetViolationException(Kind kind, String problem) {
        super(problem);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
