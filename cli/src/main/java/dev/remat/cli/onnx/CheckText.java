package dev.remat.cli.onnx;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.model.ModelText;
import dev.remat.compiler.onnx.statement.RefusedException;
import dev.remat.compiler.onnx.statement.Symbols;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.stream.Collectors;

/** Reads a text that was made of a file as any command would read it. */
final class CheckText {
    private CheckText() {}

    /** @throws ModelException if the language refuses it: an extent, a dtype or a size that no builtin takes (E0709) */
    static ElaboratedModel run(Path file, String text) {
        ModelText source = ModelText.of(new Source("model", text), IncludeResolver.NONE);
        try {
            return ModelSession.of(source, ModelSettings.NONE).open(Purpose.EVALUATE);
        } catch (ModelException e) {
            Diagnostic first = e.diagnostics().stream()
                    .filter(Diagnostic::isError)
                    .filter(each -> !each.code().equals("E0402"))
                    .findFirst()
                    .orElse(e.diagnostics().getFirst());
            String line = text.lines()
                    .skip(first.location().line() - 1L)
                    .findFirst()
                    .orElse("")
                    .strip();
            throw new ModelException(List.of(Diagnostic.error(
                    RefusedException.Kind.DETAIL.code(),
                    new Location(file.toString(), 1, 1),
                    "what was made of it is refused: " + first.message(),
                    "of the line " + line,
                    wayOut(first.message(), text))));
        }
    }

    private static String wayOut(String message, String text) {
        int end = message.indexOf(" is not known when the model is read");
        if (end < 0) {
            return "--outputs cuts the model before it";
        }
        SequencedSet<String> open = new LinkedHashSet<>();
        text.lines()
                .filter(line -> line.startsWith("  symbol "))
                .forEach(line -> open.addAll(
                        Symbols.of(line.replaceFirst("  symbol ", "").replaceFirst("//.*", ""))));
        open.retainAll(Symbols.of(message.substring(0, end)));
        return "give the symbols in it the numbers that your inputs have, such as --set "
                + open.stream().map(symbol -> symbol + "=512").collect(Collectors.joining(","));
    }
}
