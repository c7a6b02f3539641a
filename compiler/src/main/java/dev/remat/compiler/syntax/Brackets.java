package dev.remat.compiler.syntax;

import dev.remat.compiler.syntax.grammar.RematLexer;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Diagnostics;
import dev.remat.ir.diagnostic.Location;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.antlr.v4.runtime.CommonToken;
import org.antlr.v4.runtime.Token;

/**
 * Makes brackets match, so that one forgotten bracket is one error, and bounds how deep the syntax tree can get before
 * anything recursive sees it.
 */
final class Brackets {
    private static final int DEEPEST = 200;
    private static final int MOST_OPERATORS = 250;

    private final TokenLocations locations;
    private final Diagnostics diagnostics;
    private final List<Token> balanced = new ArrayList<>();
    private final Deque<Open> open = new ArrayDeque<>();
    private int operators;
    private int outerOperators;

    private Brackets(TokenLocations locations, Diagnostics diagnostics) {
        this.locations = locations;
        this.diagnostics = diagnostics;
    }

    /** @param operators met on the bracket's level before it */
    private record Open(Token token, int operators) {}

    static List<Token> balance(List<Token> tokens, TokenLocations locations, Diagnostics diagnostics) {
        Brackets brackets = new Brackets(locations, diagnostics);
        boolean lineStart = true;
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            brackets.accept(token, lineStart && startsStatement(token, tokens.get(Math.min(i + 1, tokens.size() - 1))));
            lineStart = token.getType() == RematLexer.NEWLINE;
        }
        return brackets.balanced;
    }

    private void accept(Token token, boolean startsStatement) {
        int type = token.getType();
        switch (type) {
            case RematLexer.LPAREN, RematLexer.LBRACKET -> open(token);
            case RematLexer.LBRACE -> {
                while (insideExpression()) {
                    closeMissing(token);
                }
                open(token);
            }
            case RematLexer.RPAREN, RematLexer.RBRACKET, RematLexer.RBRACE -> close(token);
            case Token.EOF -> {
                while (!open.isEmpty()) {
                    closeMissing(token);
                }
                balanced.add(token);
            }
            default -> {
                if (startsStatement) {
                    while (insideExpression()) {
                        closeMissing(token);
                    }
                }
                count(token);
                balanced.add(token);
            }
        }
    }

    /** A type, too, may be called {@code layer}; before a name it is a definition. */
    private static boolean startsStatement(Token token, Token next) {
        return TokenKinds.STATEMENT_WORDS.contains(token.getType())
                && (token.getType() != RematLexer.LAYER || next.getType() == RematLexer.NAME);
    }

    private void count(Token token) {
        int type = token.getType();
        if (type == RematLexer.COMMA || type == RematLexer.NEWLINE && !insideExpression()) {
            operators = 0;
        } else if (TokenKinds.NESTING.contains(type)) {
            operators++;
            checkOperators(token);
        }
    }

    private void checkOperators(Token token) {
        if (outerOperators + operators > MOST_OPERATORS) {
            stop(token, "this expression has more than " + MOST_OPERATORS + " operators");
        }
    }

    private void open(Token token) {
        if (open.size() == DEEPEST) {
            stop(token, "brackets are nested more than " + DEEPEST + " deep");
        }
        open.push(new Open(token, operators));
        outerOperators += operators;
        operators = 0;
        balanced.add(token);
    }

    private void close(Token token) {
        int wanted = opening(token.getType());
        boolean known = open.stream()
                .takeWhile(entry -> wanted == RematLexer.LBRACE || entry.token.getType() != RematLexer.LBRACE)
                .anyMatch(entry -> entry.token.getType() == wanted);
        if (!known) {
            stray(token);
            return;
        }
        while (open.element().token.getType() != wanted) {
            closeMissing(token);
        }
        pop();
        balanced.add(token);
    }

    /** A wrong kind of bracket stands for the right one. */
    private void stray(Token token) {
        if (!insideExpression() || token.getType() == RematLexer.RBRACE) {
            report(locations.of(token), "'" + token.getText() + "' closes a bracket that was not opened");
            return;
        }
        String opening = open.element().token.getText();
        report(locations.of(token), "'" + token.getText() + "' does not close '" + opening + "'");
        balanced.add(closing(open.element().token, token));
        pop();
    }

    private void report(Location location, String message) {
        if (!diagnostics.mentions(location.file(), location.line())) {
            diagnostics.add(Diagnostic.error("E0103", location, message));
        }
    }

    private void closeMissing(Token before) {
        Token opening = open.element().token;
        report(locations.of(opening), "'" + opening.getText() + "' is never closed");
        boolean endsLine = opening.getType() != RematLexer.LBRACE
                && !balanced.isEmpty()
                && balanced.getLast().getType() == RematLexer.NEWLINE;
        balanced.add(endsLine ? balanced.size() - 1 : balanced.size(), closing(opening, before));
        pop();
    }

    private void pop() {
        Open closed = open.pop();
        outerOperators -= closed.operators;
        operators = closed.token.getType() == RematLexer.LBRACE ? 0 : closed.operators + 1;
        checkOperators(closed.token);
    }

    private boolean insideExpression() {
        return !open.isEmpty() && open.element().token.getType() != RematLexer.LBRACE;
    }

    private void stop(Token token, String message) {
        diagnostics.add(
                Diagnostic.error("E0107", locations.of(token), message, "give parts of it a name of their own"));
        diagnostics.throwIfErrors();
    }

    private static int opening(int closing) {
        return switch (closing) {
            case RematLexer.RPAREN -> RematLexer.LPAREN;
            case RematLexer.RBRACKET -> RematLexer.LBRACKET;
            default -> RematLexer.LBRACE;
        };
    }

    private static Token closing(Token opening, Token at) {
        CommonToken closing = new CommonToken(at);
        closing.setText("");
        closing.setType(
                switch (opening.getType()) {
                    case RematLexer.LPAREN -> RematLexer.RPAREN;
                    case RematLexer.LBRACKET -> RematLexer.RBRACKET;
                    default -> RematLexer.RBRACE;
                });
        return closing;
    }
}
