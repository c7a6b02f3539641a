package dev.remat.compiler.syntax;

import dev.remat.compiler.syntax.grammar.RematLexer;
import java.util.List;
import org.antlr.v4.runtime.CommonToken;
import org.antlr.v4.runtime.Token;

/**
 * Words that count only where their statement can begin: {@code buffer} before a name and a colon, {@code chunks}
 * before anything but what goes on with a name, {@code stage} alone in the body of a model or layer, and
 * {@code optimizer} outside of all braces before a name and a bracket. Elsewhere they are names like any other.
 */
final class ContextualWords {
    private ContextualWords() {}

    /** Gives them the types by which the grammar knows them. */
    static List<Token> mark(List<Token> tokens) {
        int depth = 0;
        boolean trains = false;
        for (int i = 1; i + 2 < tokens.size(); i++) {
            Token token = tokens.get(i);
            if (depth == 0 && token.getType() != RematLexer.LBRACE) {
                trains = token.getType() == RematLexer.TRAIN;
            }
            depth += token.getType() == RematLexer.LBRACE ? 1 : token.getType() == RematLexer.RBRACE ? -1 : 0;
            if (token.getType() == RematLexer.NAME && startsStatement(tokens.get(i - 1))) {
                boolean named = tokens.get(i + 1).getType() == RematLexer.NAME;
                int next = tokens.get(i + 2).getType();
                if (token.getText().equals("buffer") && named && next == RematLexer.COLON) {
                    tokens.set(i, as(RematLexer.BUFFER, token));
                } else if (token.getText().equals("optimizer") && depth == 0 && named && next == RematLexer.LPAREN) {
                    tokens.set(i, as(RematLexer.OPTIMIZER, token));
                } else if (token.getText().equals("chunks") && startsCount(tokens.get(i + 1))) {
                    tokens.set(i, as(RematLexer.CHUNKS, token));
                } else if (token.getText().equals("stage")
                        && depth > 0
                        && !trains
                        && endsStatement(tokens.get(i + 1))) {
                    tokens.set(i, as(RematLexer.STAGE, token));
                }
            }
        }
        return tokens;
    }

    private static Token as(int type, Token token) {
        CommonToken word = new CommonToken(token);
        word.setType(type);
        return word;
    }

    private static boolean startsStatement(Token before) {
        return before.getType() == RematLexer.NEWLINE || before.getType() == RematLexer.LBRACE;
    }

    private static boolean endsStatement(Token after) {
        return after.getType() == RematLexer.NEWLINE;
    }

    private static boolean startsCount(Token after) {
        int type = after.getType();
        return type == RematLexer.INT || type == RematLexer.NAME || type == RematLexer.LPAREN;
    }
}
