package dev.remat.compiler.syntax;

import dev.remat.compiler.syntax.grammar.RematLexer;
import java.util.ArrayList;
import java.util.List;
import org.antlr.v4.runtime.CommonToken;
import org.antlr.v4.runtime.Token;

/**
 * Keeps the line ends that end a statement: not those inside round or square brackets, after an operator or before
 * {@code |>}. Every statement then ends with exactly one, also before a closing brace.
 */
final class LineEnds {
    private LineEnds() {}

    /** @param tokens with matching brackets, the end of file last */
    static List<Token> settle(List<Token> tokens) {
        List<Token> kept = new ArrayList<>(tokens.size());
        int brackets = 0;
        Token pending = null;
        for (Token token : tokens) {
            int type = token.getType();
            if (type == RematLexer.NEWLINE) {
                boolean ends = brackets == 0
                        && !kept.isEmpty()
                        && !endsNothing(kept.getLast().getType());
                pending = ends && pending == null ? token : pending;
                continue;
            }
            boolean closes = type == RematLexer.RBRACE || type == Token.EOF;
            if (closes
                    && pending == null
                    && !kept.isEmpty()
                    && !endsNothing(kept.getLast().getType())) {
                pending = lineEndBefore(token, kept.getLast());
            }
            if (pending != null && !TokenKinds.CONTINUING.contains(type)) {
                kept.add(pending);
            }
            pending = null;
            brackets += switch (type) {
                case RematLexer.LPAREN, RematLexer.LBRACKET -> 1;
                case RematLexer.RPAREN, RematLexer.RBRACKET -> -1;
                default -> 0;
            };
            kept.add(token);
        }
        return kept;
    }

    private static boolean endsNothing(int type) {
        return type == RematLexer.NEWLINE || TokenKinds.OPEN_ENDED.contains(type);
    }

    private static Token lineEndBefore(Token token, Token last) {
        CommonToken end = new CommonToken(token);
        end.setType(RematLexer.NEWLINE);
        end.setText("");
        end.setLine(last.getLine());
        end.setCharPositionInLine(last.getCharPositionInLine() + last.getText().length());
        return end;
    }
}
