package dev.remat.compiler.elaborate;

import dev.remat.ir.diagnostic.Diagnostic;
import java.util.Optional;

/** Ends the evaluation of a statement; without a diagnostic where the cause has been reported before. */
final class ElaborationAborted extends RuntimeException {
    private final transient Optional<Diagnostic> diagnostic;

    ElaborationAborted(Diagnostic diagnostic) {
        super(diagnostic.message(), null, false, false);
        this.diagnostic = Optional.of(diagnostic);
    }

    private ElaborationAborted() {
        super("reported before", null, false, false);
        this.diagnostic = Optional.empty();
    }

    static ElaborationAborted reportedBefore() {
        return new ElaborationAborted();
    }

    Optional<Diagnostic> diagnostic() {
        return diagnostic;
    }
}
