package dev.remat.ir.diagnostic;

import java.util.List;

/**
 * One finding about a model file, with its location and a way out.
 *
 * @param code a stable code such as {@code E0102}, explained by {@code remat help error}
 * @param length number of columns the caret line underlines, at least 1
 * @param notes further facts and suggestions, each a sentence without a full stop
 */
public record Diagnostic(
        String code, Severity severity, Location location, int length, String message, List<String> notes) {
    public Diagnostic {
        notes = List.copyOf(notes);
        if (length < 1) {
            throw new IllegalArgumentException("length must be positive: " + length);
        }
    }

    public static Diagnostic error(String code, Location location, String message, String... notes) {
        return new Diagnostic(code, Severity.ERROR, location, 1, message, List.of(notes));
    }

    public static Diagnostic warning(String code, Location location, String message, String... notes) {
        return new Diagnostic(code, Severity.WARNING, location, 1, message, List.of(notes));
    }

    /** The same finding with {@code length} columns underlined. */
    public Diagnostic underlining(int length) {
        return new Diagnostic(code, severity, location, length, message, notes);
    }

    public boolean isError() {
        return severity == Severity.ERROR;
    }

    /** {@code file:line:col: error[CODE]: message}, without source line and notes. */
    public String headline() {
        return location + ": " + severity.label() + "[" + code + "]: " + message;
    }
}
