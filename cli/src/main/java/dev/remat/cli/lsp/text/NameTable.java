package dev.remat.cli.lsp.text;

import dev.remat.compiler.syntax.SourceToken;
import java.util.List;
import java.util.Optional;

/**
 * All names of a text, however much of it is written.
 *
 * @param mentions in the order of the text
 * @param scopes outer before inner
 * @param blocks in curly brackets, from one bracket to the other
 */
public record NameTable(
        Scope file, List<Mention> mentions, List<Scope> scopes, List<Block> blocks, List<SourceToken> includes) {
    /** @param head where the statement begins that the block belongs to */
    public record Block(int head, int start, int end) {}

    public NameTable {
        mentions = List.copyOf(mentions);
        scopes = List.copyOf(scopes);
        blocks = List.copyOf(blocks);
        includes = List.copyOf(includes);
    }

    /** Paths of the files that are included, as written. */
    public List<String> includedPaths() {
        return includes.stream()
                .map(SourceToken::text)
                .filter(text -> text.length() > 2 && text.endsWith("\""))
                .map(text -> text.substring(1, text.length() - 1))
                .toList();
    }

    public Optional<Mention> at(int offset) {
        return mentions.stream().filter(mention -> mention.touches(offset)).findFirst();
    }

    /** The innermost. */
    public Scope scopeAt(int offset) {
        return scopes.stream()
                .filter(scope -> scope.contains(offset))
                .reduce((outer, inner) -> inner)
                .orElse(file);
    }

    /** What a name stands for, if that is defined in this text. */
    public Optional<Variable> resolve(Mention mention) {
        return switch (mention.role()) {
            case BINDING -> mention.scope().own(mention.name());
            case READ -> mention.scope().resolve(mention.name(), mention.start(), mention.loop());
            case ARGUMENT ->
                mention.of()
                        .flatMap(this::resolve)
                        .flatMap(Variable::body)
                        .flatMap(body -> parameter(body, mention.name()));
            case ATTRIBUTE, TYPE, SETTING, CHOICE -> Optional.empty();
        };
    }

    static Optional<Variable> parameter(Scope body, String name) {
        return body.parameters().stream()
                .filter(variable -> variable.name().equals(name))
                .findFirst();
    }
}
