package dev.remat.cli.lsp.answer;

import dev.remat.cli.lsp.model.Analysis;
import dev.remat.cli.lsp.model.Analyze;
import dev.remat.cli.lsp.model.Documents;
import dev.remat.cli.lsp.text.Document;
import dev.remat.cli.lsp.text.Mention;
import dev.remat.cli.lsp.text.Variable;
import dev.remat.compiler.reference.LanguageReference;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.SourceTokens;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Source;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.eclipse.lsp4j.Range;
import org.eclipse.lsp4j.TextEdit;
import org.eclipse.lsp4j.WorkspaceEdit;

/**
 * Renames layers, parameters and values wherever they are named. A model that compiles must compile afterwards, to the
 * same graph: a name that would be taken for another is refused.
 */
public final class RenameNames {
    /** Why a name cannot be given. */
    public static final class RefusedException extends Exception {
        RefusedException(String why) {
            super(why);
        }
    }

    private RenameNames() {}

    /** What would be renamed; empty for what is none of the model's own names. */
    public static Optional<Range> range(Document document, int offset, Documents documents) {
        NamesOfProgram program = NamesOfProgram.seenBy(document, documents);
        return document.names()
                .at(offset)
                .filter(mention -> program.resolve(document, mention).isPresent())
                .map(document.lines()::range);
    }

    /**
     * The edits, which are those of all files that share the name.
     *
     * @throws RefusedException if the name is none, or means something else where it would stand
     */
    public static WorkspaceEdit to(String name, Document document, int offset, Documents documents)
            throws RefusedException {
        if (!SourceTokens.isName(name) || name.equals("_")) {
            throw new RefusedException("'" + name + "' is no name: letters, digits and _, and no word of the language");
        }
        NamesOfProgram program = NamesOfProgram.around(document, documents);
        Optional<Mention> mention = document.names().at(offset);
        Found found = mention.flatMap(each -> program.resolve(document, each))
                .orElseThrow(() -> new RefusedException("no name of the model stands here"));
        List<NamesOfProgram.Place> places = program.places(found);
        checkFree(name, found, places);
        Map<String, List<Mention>> byFile = new LinkedHashMap<>();
        for (NamesOfProgram.Place place : places) {
            byFile.computeIfAbsent(place.document().file(), _ -> new ArrayList<>())
                    .add(place.mention());
        }
        checkMeaning(program, byFile, found.variable(), name);
        Map<String, List<TextEdit>> changes = new LinkedHashMap<>();
        for (NamesOfProgram.Place place : places) {
            changes.computeIfAbsent(place.document().uri(), _ -> new ArrayList<>())
                    .add(new TextEdit(place.document().lines().range(place.mention()), name));
        }
        return new WorkspaceEdit(changes);
    }

    private static void checkFree(String name, Found found, List<NamesOfProgram.Place> places) throws RefusedException {
        if (found.variable().kind() == Variable.Kind.LAYER
                && LanguageReference.builtin(name).isPresent()) {
            throw new RefusedException("'" + name + "' is a builtin");
        }
        for (NamesOfProgram.Place place : places) {
            Optional<Variable> other = place.mention()
                    .scope()
                    .resolve(name, place.mention().start(), place.mention().loop());
            if (other.isPresent() && !name.equals(found.variable().name())) {
                throw new RefusedException(
                        "'" + name + "' is the name of a " + other.get().kind().label() + " where '"
                                + found.variable().name() + "' stands");
            }
        }
    }

    private static void checkMeaning(
            NamesOfProgram program, Map<String, List<Mention>> places, Variable variable, String name)
            throws RefusedException {
        Map<String, Document> renamed = new LinkedHashMap<>();
        for (Document each : program.documents()) {
            StringBuilder text = new StringBuilder(each.text());
            places.getOrDefault(each.file(), List.of()).stream()
                    .sorted(Comparator.comparingInt(Mention::start).reversed())
                    .forEach(mention -> text.replace(mention.start(), mention.end(), name));
            renamed.put(each.file(), new Document(each.uri(), each.version(), text.toString()));
        }
        Map<String, Document> before = new LinkedHashMap<>();
        program.documents().forEach(each -> before.put(each.file(), each));
        for (Document each : program.documents()) {
            Analysis now = analyse(each, before);
            if (now.hasErrors()) {
                continue;
            }
            Analysis then = analyse(renamed.get(each.file()), renamed);
            Optional<Diagnostic> error =
                    then.findings().stream().filter(Diagnostic::isError).findFirst();
            if (error.isPresent()) {
                throw new RefusedException("with '" + name + "' the model would not compile: "
                        + error.get().headline());
            }
            // Extents are told by the names of symbols.
            Pattern old = Pattern.compile("\\b" + variable.name() + "\\b");
            List<String> expected = variable.kind() == Variable.Kind.SYMBOL
                    ? shape(now).stream()
                            .map(line -> old.matcher(line).replaceAll(name))
                            .toList()
                    : shape(now);
            if (!expected.equals(shape(then))) {
                throw new RefusedException("with '" + name + "' the model would compute something else");
            }
        }
    }

    private static Analysis analyse(Document document, Map<String, Document> all) {
        IncludeResolver includes = (path, from) -> {
            Optional<Document> included = document.path()
                    .map(_ -> Path.of(from.file())
                            .resolveSibling(path)
                            .normalize()
                            .toString())
                    .map(all::get);
            return included.isPresent()
                    ? new IncludeResolver.Found(
                            new Source(included.get().file(), included.get().text()))
                    : new IncludeResolver.Refused("E0109", "there is no file '" + path + "' in the model's folder");
        };
        return Analyze.run(document, includes, "", () -> false);
    }

    /** Operations with what they read: what is computed, whatever it is called. */
    private static List<String> shape(Analysis analysis) {
        return analysis.elaborated().isEmpty()
                ? List.of()
                : analysis.elaborated().getFirst().operations();
    }
}
