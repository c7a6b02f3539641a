package dev.remat.ir.diagnostic;

import java.util.List;
import java.util.stream.Collectors;

/** A model that cannot be compiled; carries every diagnostic that was found, at least one of them an error. */
public final class ModelException extends RuntimeException {
    private final List<Diagnostic> diagnostics;

    public ModelException(List<Diagnostic> diagnostics) {
        super(diagnostics.stream().map(Diagnostic::headline).collect(Collectors.joining("\n")));
        this.diagnostics = List.copyOf(diagnostics);
    }

    public List<Diagnostic> diagnostics() {
        return diagnostics;
    }
}
