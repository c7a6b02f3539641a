package dev.remat.cli.lsp.answer;

import dev.remat.cli.lsp.model.Documents;
import dev.remat.cli.lsp.text.Document;
import dev.remat.cli.lsp.text.Mention;
import dev.remat.cli.lsp.text.Mention.Role;
import dev.remat.compiler.syntax.SourceToken;
import java.util.List;
import java.util.Optional;
import org.eclipse.lsp4j.DocumentHighlight;
import org.eclipse.lsp4j.DocumentHighlightKind;
import org.eclipse.lsp4j.Location;

/** Where names are defined and read, over the files of a model. */
public final class Places {
    private Places() {}

    /** Where the name at an offset gets what it stands for; of an include, the file. */
    public static List<Location> definition(Document document, int offset, Documents documents) {
        Optional<SourceToken> include = document.names().includes().stream()
                .filter(token -> token.start() <= offset && offset <= token.end())
                .findFirst();
        if (include.isPresent()) {
            int index = document.names().includes().indexOf(include.get());
            String path = include.get().text().replace("\"", "");
            return index < 0 || path.isEmpty()
                    ? List.of()
                    : document
                            .path()
                            .map(file -> file.resolveSibling(path).normalize().toString())
                            .flatMap(documents::ofFile)
                            .map(file -> new Location(file.uri(), file.lines().range(0, 0)))
                            .stream()
                            .toList();
        }
        NamesOfProgram program = NamesOfProgram.seenBy(document, documents);
        return document
                .names()
                .at(offset)
                .flatMap(mention -> program.resolve(document, mention).map(found -> {
                    boolean here = found.document() == document && mention.is(Role.READ);
                    Mention binding = here
                            ? found.variable().bindingBefore(mention.start())
                            : mention.is(Role.BINDING)
                                    ? mention
                                    : found.variable().bindings().getFirst();
                    return location(found.document(), binding);
                }))
                .stream()
                .toList();
    }

    /** Every place that names what the name at an offset stands for. */
    public static List<Location> references(
            Document document, int offset, boolean withDefinitions, Documents documents) {
        NamesOfProgram program = NamesOfProgram.around(document, documents);
        return document.names()
                .at(offset)
                .flatMap(mention -> program.resolve(document, mention))
                .map(found -> program.places(found).stream()
                        .filter(place -> withDefinitions || !place.mention().is(Role.BINDING))
                        .map(place -> location(place.document(), place.mention()))
                        .toList())
                .orElse(List.of());
    }

    /** The same in the text alone. */
    public static List<DocumentHighlight> highlights(Document document, int offset, Documents documents) {
        NamesOfProgram program = NamesOfProgram.seenBy(document, documents);
        return document.names()
                .at(offset)
                .flatMap(mention -> program.resolve(document, mention))
                .map(found -> program.places(found).stream()
                        .filter(place -> place.document() == document)
                        .map(place -> new DocumentHighlight(
                                document.lines().range(place.mention()),
                                place.mention().is(Role.BINDING)
                                        ? DocumentHighlightKind.Write
                                        : DocumentHighlightKind.Read))
                        .toList())
                .orElse(List.of());
    }

    private static Location location(Document document, Mention mention) {
        return new Location(document.uri(), document.lines().range(mention));
    }
}
