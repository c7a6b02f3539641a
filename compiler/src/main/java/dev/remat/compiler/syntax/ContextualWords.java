package dev.remat.compiler.syntax;

import dev.remat.compiler.syntax.grammar.RematLexer;
import java.util.List;
import org.antlr.v4.runtime.CommonToken;
import org.antlr.v4.runtime.Token;

/**
 * Words that count only where their statement can begin, before a name and a colon; elsewhere they are names like any
 * other.
 */
final class ContextualWords {
    private ContextualWords() {}

    /** Gives them the types by which the grammar knows them. */
    static List<Token> mark(List<Token> tokens) {
        for (int i = 1; i + 2 < tokens.size(); i++) {
            Token token = tokens.get(i);
            if (token.getType() == RematLexer.NAME
                    && token.getText().equals("buffer")
                    && startsStatement(tokens.get(i - 1))
                    && tokens.get(i + 1).getType() == RematLexer.NAME
                    && tokens.get(i + 2).getType() == RematLexer.COLON) {
                CommonToken word = new CommonToken(token);
                word.setType(RematLexer.BUFFER);
                tokens.set(i, word);
            }
        }
        return tokens;
    }

    private static boolean startsStatement(Token before) {
        return before.getType() == RematLexer.NEWLINE || before.getType() == RematLexer.LBRACE;
    }
}
