package dev.remat.compiler.syntax;

import dev.remat.compiler.syntax.SourceToken.Kind;
import dev.remat.compiler.syntax.grammar.RematLexer;
import dev.remat.ir.diagnostic.Diagnostics;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import java.util.ArrayList;
import java.util.List;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.Token;

/** Tokens of any text, be it a whole model, half of one or none. */
public final class SourceTokens {
    private final String text;
    /** Offsets of code points; null where every one is a code unit. */
    private final int[] offsets;

    private SourceTokens(String text) {
        this.text = text;
        this.offsets = text.chars().anyMatch(unit -> Character.isSurrogate((char) unit)) ? offsets(text) : null;
    }

    private static int[] offsets(String text) {
        int[] offsets = new int[text.codePointCount(0, text.length()) + 1];
        for (int i = 0, at = 0; i < offsets.length; i++) {
            offsets[i] = at;
            at += at < text.length() ? Character.charCount(text.codePointAt(at)) : 0;
        }
        return offsets;
    }

    /** All that is written, comments and line ends among it. */
    public static List<SourceToken> of(String text) {
        SourceTokens tokens = new SourceTokens(text);
        RematLexer lexer = new RematLexer(CharStreams.fromString(text));
        lexer.removeErrorListeners();
        List<SourceToken> all = new ArrayList<>();
        for (Token token = lexer.nextToken(); token.getType() != Token.EOF; token = lexer.nextToken()) {
            all.add(tokens.of(token));
        }
        return all;
    }

    /**
     * The same as the parser takes them: without comments, with every bracket closed, one end behind every statement
     * and none elsewhere. Empty for what is nested too deeply to be read.
     */
    public static List<SourceToken> statements(String text) {
        Source source = new Source("", text);
        Diagnostics ignored = new Diagnostics();
        try {
            TokenLocations locations = new TokenLocations(source);
            List<Token> scanned = Scanner.scan(source, ignored).tokens();
            List<Token> settled =
                    ContextualWords.mark(LineEnds.settle(Brackets.balance(scanned, locations, new Diagnostics())));
            SourceTokens tokens = new SourceTokens(text);
            return settled.stream()
                    .filter(token -> token.getType() != Token.EOF)
                    .map(tokens::of)
                    .toList();
        } catch (ModelException e) {
            return List.of();
        }
    }

    /** Whether the text can be a name. */
    public static boolean isName(String text) {
        return Scanner.isName(text);
    }

    private SourceToken of(Token token) {
        boolean written = !token.getText().isEmpty();
        int start = offset(token.getStartIndex());
        return new SourceToken(
                kind(token.getType()),
                written ? token.getText() : sign(token.getType()),
                start,
                written ? offset(token.getStopIndex() + 1) : start);
    }

    private int offset(int codePoint) {
        return Math.clamp(
                offsets == null ? codePoint : offsets[Math.min(codePoint, offsets.length - 1)], 0, text.length());
    }

    private static String sign(int type) {
        String literal = RematLexer.VOCABULARY.getLiteralName(type);
        return literal == null ? "" : literal.substring(1, literal.length() - 1);
    }

    private static Kind kind(int type) {
        return switch (type) {
            case RematLexer.NAME -> Kind.NAME;
            case RematLexer.INT, RematLexer.FLOAT -> Kind.NUMBER;
            case RematLexer.STRING, RematLexer.OPEN_STRING -> Kind.STRING;
            case RematLexer.COMMENT -> Kind.COMMENT;
            case RematLexer.NEWLINE -> Kind.END;
            case RematLexer.STRAY -> Kind.STRAY;
            case RematLexer.BUFFER, RematLexer.CHUNKS, RematLexer.OPTIMIZER, RematLexer.STAGE -> Kind.WORD;
            default -> TokenNames.isWord(type) ? Kind.WORD : Kind.SIGN;
        };
    }
}
