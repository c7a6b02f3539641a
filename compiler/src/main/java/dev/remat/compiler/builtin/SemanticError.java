package dev.remat.compiler.builtin;

import java.util.List;

/** A call that cannot be carried out; whoever made it knows its location and reports it. */
public final class SemanticError extends RuntimeException {
    private final String code;
    private final transient List<String> notes;

    public SemanticError(String code, String message, String... notes) {
        super(message, null, false, false);
        this.code = code;
        this.notes = List.of(notes);
    }

    /** Code of the diagnostic. */
    public String code() {
        return code;
    }

    public List<String> notes() {
        return notes;
    }
}
