package dev.remat.cli.lsp.answer;

import dev.remat.cli.lsp.model.Documents;
import dev.remat.cli.lsp.text.Document;
import dev.remat.cli.lsp.text.Mention;
import dev.remat.cli.lsp.text.Mention.Role;
import dev.remat.cli.lsp.text.NameTable;
import dev.remat.cli.lsp.text.Scope;
import dev.remat.cli.lsp.text.Variable;
import dev.remat.compiler.syntax.SourceToken;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Names over a text and all that shares names with it. Layers of files are known to each of them. */
final class NamesOfProgram {
    /** A name in one of the texts. */
    record Place(Document document, Mention mention) {}

    private final List<Document> documents;

    private NamesOfProgram(List<Document> documents) {
        this.documents = documents;
    }

    /** What the text can name. */
    static NamesOfProgram seenBy(Document document, Documents all) {
        return new NamesOfProgram(all.withIncluded(document));
    }

    /** The same, and what can name it. */
    static NamesOfProgram around(Document document, Documents all) {
        return new NamesOfProgram(all.related(document));
    }

    List<Document> documents() {
        return documents;
    }

    /** What stands there, if it is defined anywhere. */
    Optional<Found> resolve(Document document, Mention mention) {
        Optional<Variable> own = document.names().resolve(mention);
        if (own.isPresent()) {
            return Optional.of(new Found(document, own.get()));
        }
        return switch (mention.role()) {
            case READ -> layer(mention.name());
            case ARGUMENT ->
                mention.of()
                        .flatMap(callee -> resolve(document, callee))
                        .flatMap(layer ->
                                layer.variable().body().flatMap(body -> parameter(layer, body, mention.name())));
            case BINDING, ATTRIBUTE, TYPE, SETTING, CHOICE -> Optional.empty();
        };
    }

    private static Optional<Found> parameter(Found layer, Scope body, String name) {
        return body.parameters().stream()
                .filter(each -> each.name().equals(name))
                .map(each -> new Found(layer.document(), each))
                .findFirst();
    }

    /** A layer of some file. */
    Optional<Found> layer(String name) {
        for (Document each : documents) {
            Optional<Variable> found =
                    each.names().file().own(name).filter(variable -> variable.kind() == Variable.Kind.LAYER);
            if (found.isPresent()) {
                return Optional.of(new Found(each, found.get()));
            }
        }
        return Optional.empty();
    }

    /** Layers of all files. */
    List<Found> layers() {
        List<Found> layers = new ArrayList<>();
        for (Document each : documents) {
            each.names().file().variables().stream()
                    .filter(variable -> variable.kind() == Variable.Kind.LAYER)
                    .forEach(variable -> layers.add(new Found(each, variable)));
        }
        return layers;
    }

    /** Every place that names it. */
    List<Place> places(Found wanted) {
        List<Place> places = new ArrayList<>();
        for (Document each : documents) {
            NameTable names = each.names();
            for (Mention mention : names.mentions()) {
                boolean same = mention.name().equals(wanted.variable().name())
                        && (resolve(each, mention)
                                        .filter(found -> isSame(found, wanted))
                                        .isPresent()
                                || isMember(mention, wanted));
                if (same) {
                    places.add(new Place(each, mention));
                }
            }
            settings(each, wanted).forEach(mention -> places.add(new Place(each, mention)));
        }
        return places;
    }

    /** Where a comment sets it for plans. */
    private static List<Mention> settings(Document document, Found wanted) {
        Variable variable = wanted.variable();
        boolean settable = variable.kind() == Variable.Kind.SYMBOL || variable.kind() == Variable.Kind.HYPER_PARAMETER;
        if (!settable || !document.file().equals(wanted.document().file())) {
            return List.of();
        }
        List<Mention> mentions = new ArrayList<>();
        Pattern set = Pattern.compile("(?<=[ ,=\"'])" + variable.name() + "(?==)");
        for (SourceToken token : document.tokens()) {
            if (token.is(SourceToken.Kind.COMMENT) && token.text().startsWith("//! plan")) {
                set.matcher(token.text())
                        .results()
                        .forEach(found -> mentions.add(new Mention(
                                variable.name(),
                                token.start() + found.start(),
                                token.start() + found.end(),
                                Role.READ,
                                variable.scope(),
                                Optional.empty(),
                                Optional.empty(),
                                "",
                                false)));
            }
        }
        return mentions;
    }

    private static boolean isSame(Found one, Found other) {
        return one.variable() == other.variable()
                || one.document().file().equals(other.document().file())
                        && one.variable().kind() == other.variable().kind()
                        && one.variable().bindings().getFirst().start()
                                == other.variable().bindings().getFirst().start();
    }

    /** {@code block.scale}, where {@code scale} is a parameter of a layer's own: it goes by its name alone. */
    private static boolean isMember(Mention mention, Found wanted) {
        Variable.Kind kind = wanted.variable().kind();
        return mention.is(Role.ATTRIBUTE)
                && (kind == Variable.Kind.PARAM || kind == Variable.Kind.BUFFER || kind == Variable.Kind.CALL);
    }
}
