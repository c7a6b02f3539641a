package dev.remat.compiler.error;

import dev.remat.compiler.ast.Model;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.syntax.FolderIncludes;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.unread.UnreadNames;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import java.nio.file.Path;
import java.util.List;

/** What the compiler has to say about a text. */
final class Findings {
    private Findings() {}

    /**
     * @param code of the error or warning that is looked for; texts about syntax need not make sense beyond that
     * @param file where the text pretends to stand, for its includes
     */
    static List<Diagnostic> of(String code, Path file, String text) {
        try {
            Model model = ModelParser.parse(new Source(file.toString(), text), new FolderIncludes(file));
            if (!code.startsWith("E01")) {
                Elaborator.elaborate(model, Bindings.NONE);
            }
            return code.startsWith("W") ? UnreadNames.of(model) : List.of();
        } catch (ModelException e) {
            return e.diagnostics();
        }
    }
}
