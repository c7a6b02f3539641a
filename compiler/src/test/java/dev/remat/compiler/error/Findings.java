package dev.remat.compiler.error;

import dev.remat.compiler.ast.Model;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.split.CutBatch;
import dev.remat.compiler.split.RefuseBatchNorms;
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
     * What the first line says where it is a comment of options, such as {@code // --set B=8}.
     */
    private static List<String> options(String text) {
        return text.startsWith("// --")
                ? List.of(text.lines().findFirst().orElseThrow().substring(3).split(" "))
                : List.of();
    }

    private static void compile(Model model, List<String> options) {
        int set = options.indexOf("--set");
        Bindings bindings = set < 0 ? Bindings.NONE : Bindings.parse(List.of(options.get(set + 1)));
        ElaboratedModel cut = CutBatch.run(
                Elaborator.elaborate(model, bindings), bindings, other -> Elaborator.elaborate(model, other));
        if (options.contains("--batch-norm")) {
            RefuseBatchNorms.run(cut);
        }
    }

    /**
     * @param code of the error or warning that is looked for; texts about syntax need not make sense beyond that
     * @param file where the text pretends to stand, for its includes
     */
    static List<Diagnostic> of(String code, Path file, String text) {
        try {
            Model model = ModelParser.parse(new Source(file.toString(), text), new FolderIncludes(file));
            if (!code.startsWith("E01")) {
                compile(model, options(text));
            }
            return code.startsWith("W") ? UnreadNames.of(model) : List.of();
        } catch (ModelException e) {
            return e.diagnostics();
        }
    }
}
