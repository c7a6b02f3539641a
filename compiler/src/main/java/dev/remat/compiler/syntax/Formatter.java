package dev.remat.compiler.syntax;

import dev.remat.compiler.ast.Model;
import dev.remat.ir.diagnostic.Diagnostics;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.Source;
import java.util.List;

/** What {@code remat fmt} does: the canonical form of one file, its comments and single blank lines kept. */
public final class Formatter {
    private static final Model NOT_READ = new Model(Location.NONE, 1, List.of());

    private Formatter() {}

    /**
     * The formatted text; formatting it again changes nothing. Included files are not read.
     *
     * @throws dev.remat.ir.diagnostic.ModelException if the text has syntax errors
     */
    public static String format(Source source) {
        Diagnostics diagnostics = new Diagnostics();
        FileParser.Result result = FileParser.parse(source, diagnostics, (path, location) -> NOT_READ);
        diagnostics.throwIfErrors();
        return ModelPrinter.print(result.model().orElseThrow(), result.trivia());
    }
}
