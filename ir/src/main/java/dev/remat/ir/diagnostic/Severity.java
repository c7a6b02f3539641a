package dev.remat.ir.diagnostic;

/** How bad a {@link Diagnostic} is; only errors stop a compilation. */
public enum Severity {
    ERROR,
    WARNING;

    /** As printed before the code: {@code error} or {@code warning}. */
    public String label() {
        return this == ERROR ? "error" : "warning";
    }
}
