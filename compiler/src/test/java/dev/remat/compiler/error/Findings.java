package dev.remat.compiler.error;

import dev.remat.compiler.syntax.FolderIncludes;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import java.nio.file.Path;
import java.util.List;

/** What the compiler has to say about a text. */
final class Findings {
    private Findings() {}

    /** @param file where the text pretends to stand, for its includes */
    static List<Diagnostic> of(Path file, String text) {
        try {
            ModelParser.parse(new Source(file.toString(), text), new FolderIncludes(file));
            return List.of();
        } catch (ModelException e) {
            return e.diagnostics();
        }
    }
}
