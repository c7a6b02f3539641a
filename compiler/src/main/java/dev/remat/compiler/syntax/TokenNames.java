package dev.remat.compiler.syntax;

import dev.remat.compiler.syntax.grammar.RematLexer;
import org.antlr.v4.runtime.Token;

/** What messages call the tokens. */
final class TokenNames {
    private static final int LONGEST_SHOWN = 40;

    private TokenNames() {}

    static String of(int type) {
        return switch (type) {
            case Token.EOF -> "the end of the file";
            case RematLexer.NEWLINE -> "the end of the line";
            case RematLexer.NAME -> "a name";
            case RematLexer.INT -> "an integer";
            case RematLexer.FLOAT -> "a number";
            case RematLexer.STRING -> "a string";
            default -> RematLexer.VOCABULARY.getDisplayName(type);
        };
    }

    static String of(Token token) {
        String text = token.getText();
        if (token.getType() == Token.EOF || token.getType() == RematLexer.NEWLINE && !text.equals(";")) {
            return of(token.getType());
        }
        return "'" + (text.length() > LONGEST_SHOWN ? text.substring(0, LONGEST_SHOWN) + "…" : text) + "'";
    }

    /** Whether the type is a keyword, which no name may equal. */
    static boolean isWord(int type) {
        return type >= RematLexer.REMAT && type <= RematLexer.FALSE;
    }
}
