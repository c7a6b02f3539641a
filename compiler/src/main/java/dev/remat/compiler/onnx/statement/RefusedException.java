package dev.remat.compiler.onnx.statement;

/** Something of a node that cannot be written. */
public final class RefusedException extends RuntimeException {
    /** What kind of trouble it is. */
    public enum Kind {
        /** The operator itself is none that can be imported. */
        OPERATOR("E0707"),
        /** An operand must be known, and depends on inputs. */
        CONSTANT("E0708"),
        /** A type, an attribute or a shape that is not understood. */
        DETAIL("E0709");

        private final String code;

        Kind(String code) {
            this.code = code;
        }

        public String code() {
            return code;
        }
    }

    private final Kind kind;
    private final String wayOut;

    /** @param wayOut empty if there is none */
    public RefusedException(Kind kind, String reason, String wayOut) {
        super(reason);
        this.kind = kind;
        this.wayOut = wayOut;
    }

    /** A detail without a way out. */
    public RefusedException(String reason) {
        this(Kind.DETAIL, reason, "");
    }

    public Kind kind() {
        return kind;
    }

    public String wayOut() {
        return wayOut;
    }
}
