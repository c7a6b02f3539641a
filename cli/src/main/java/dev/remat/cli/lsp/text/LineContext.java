package dev.remat.cli.lsp.text;

import dev.remat.compiler.syntax.SourceToken;
import dev.remat.compiler.syntax.SourceToken.Kind;
import java.util.List;
import java.util.Optional;

/** What kind of thing is to be written at the cursor, by what stands before it. */
public sealed interface LineContext {
    /** No code: a comment, or a string that is no path. */
    record Comment() implements LineContext {}

    /** {@code include "}. */
    record IncludePath() implements LineContext {}

    /** Behind a dot. */
    record Attribute() implements LineContext {}

    /** {@code input x:}. */
    record TensorDtype() implements LineContext {}

    /** {@code layer F(x:}. */
    record TypeOfParameter() implements LineContext {}

    /** The value of a setting: {@code optimizer }. */
    record Choice(String setting) implements LineContext {}

    /** The beginning of a line in a training. */
    record Setting() implements LineContext {}

    /** The beginning of a line of a file. */
    record Declaration() implements LineContext {}

    /** A name that is not there yet: {@code layer }, {@code symbol }. */
    record NewName() implements LineContext {}

    /** The beginning of a line of a body. */
    record Statement() implements LineContext {}

    record Expression() implements LineContext {}

    static LineContext at(Document document, int offset) {
        for (SourceToken token : document.tokens()) {
            boolean inside = token.start() < offset && offset <= token.end();
            if (inside && token.is(Kind.COMMENT)) {
                return new Comment();
            }
            boolean open = token.end() - token.start() < 2 || !token.text().endsWith("\"");
            if (token.is(Kind.STRING)
                    && token.start() < offset
                    && (offset < token.end() || open && offset == token.end())) {
                Optional<SourceToken> word = last(document, token.start());
                return word.filter(before -> before.is("include")).isPresent() ? new IncludePath() : new Comment();
            }
        }
        return code(document, offset);
    }

    private static Optional<SourceToken> last(Document document, int offset) {
        List<SourceToken> before = CursorCall.before(document, offset);
        return before.isEmpty() ? Optional.empty() : Optional.of(before.getLast());
    }

    private static LineContext code(Document document, int offset) {
        int start = offset;
        while (start > 0 && isOfName(document.text().charAt(start - 1))) {
            start--;
        }
        Scope scope = document.names().scopeAt(offset);
        List<SourceToken> before = CursorCall.before(document, start);
        SourceToken last = before.isEmpty() ? new SourceToken(Kind.END, "", 0, 0) : before.getLast();
        if (last.is(".")) {
            return new Attribute();
        }
        if (last.is("layer")
                || last.is("model")
                || last.is("optimizer") && scope.kind() == Scope.Kind.FILE
                || last.is("symbol")
                || last.is("input")
                || last.is("param")
                || last.is("buffer")
                || last.is("as")
                || last.is("for")) {
            return new NewName();
        }
        if (last.is(":")) {
            return type(before);
        }
        boolean lineStart = document.text()
                                .substring(document.lines().lineStart(start), start)
                                .isBlank()
                        && !goesOn(last)
                || last.is("{")
                || document.text().substring(0, start).stripTrailing().endsWith(";");
        boolean inBrackets = CursorCall.at(document, start).isPresent();
        if (lineStart && !inBrackets) {
            return switch (scope.kind()) {
                case FILE -> new Declaration();
                case TRAIN -> new Setting();
                case MODEL, LAYER -> new Statement();
            };
        }
        if (scope.kind() == Scope.Kind.TRAIN && last.is(Kind.NAME) && !inBrackets) {
            return new Choice(last.text());
        }
        return new Expression();
    }

    private static LineContext type(List<SourceToken> before) {
        int depth = 0;
        for (int i = before.size() - 1; i >= 0; i--) {
            SourceToken token = before.get(i);
            if (token.is("input") || token.is("param")) {
                return new TensorDtype();
            }
            depth += token.is(")") ? 1 : token.is("(") ? -1 : 0;
            if (token.is("[") || token.is("{") || token.is("}")) {
                break;
            }
            if (depth < 0) {
                return new TypeOfParameter();
            }
        }
        return before.size() > 1 && before.get(before.size() - 2).is(Kind.NAME) ? new TensorDtype() : new Expression();
    }

    /** Whether a line does not end behind the token. */
    private static boolean goesOn(SourceToken token) {
        return token.is(Kind.SIGN) && !token.is(")") && !token.is("]") && !token.is("}") && !token.is("{");
    }

    private static boolean isOfName(char c) {
        return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
    }
}
