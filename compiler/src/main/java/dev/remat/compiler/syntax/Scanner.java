package dev.remat.compiler.syntax;

import dev.remat.compiler.syntax.grammar.RematLexer;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Diagnostics;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.Source;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.Token;

/** Splits a file into tokens, sets comments and blank lines aside, and reports what is no token. */
final class Scanner {
    private static final int LONGEST_STRING = 4096;
    private static final int LONGEST_NAME = 255;

    private final Source source;
    private final TokenLocations locations;
    private final Diagnostics diagnostics;
    private final List<Token> tokens = new ArrayList<>();
    private final List<Trivia.Comment> comments = new ArrayList<>();
    private final BitSet occupied = new BitSet();

    private Scanner(Source source, Diagnostics diagnostics) {
        this.source = source;
        this.locations = new TokenLocations(source);
        this.diagnostics = diagnostics;
    }

    /** Every line end is a token still; the last token is the end of file. */
    record Result(List<Token> tokens, Trivia trivia) {}

    static Result scan(Source source, Diagnostics diagnostics) {
        return new Scanner(source, diagnostics).run();
    }

    /** Whether the text is one token, a name and no word of the language. */
    static boolean isName(String text) {
        RematLexer lexer = new RematLexer(CharStreams.fromString(text));
        lexer.removeErrorListeners();
        Token first = lexer.nextToken();
        return first.getType() == RematLexer.NAME && first.getText().equals(text);
    }

    private Result run() {
        RematLexer lexer = new RematLexer(CharStreams.fromString(source.text(), source.file()));
        lexer.removeErrorListeners();
        Token token;
        do {
            token = lexer.nextToken();
            accept(token);
        } while (token.getType() != Token.EOF);
        BitSet blank = new BitSet();
        blank.set(1, token.getLine() + 1);
        blank.andNot(occupied);
        return new Result(tokens, new Trivia(comments, blank));
    }

    private void accept(Token token) {
        int length = token.getStopIndex() - token.getStartIndex() + 1;
        switch (token.getType()) {
            case RematLexer.COMMENT -> {
                boolean ownLine = !occupied.get(token.getLine());
                comments.add(new Trivia.Comment(
                        token.getLine(),
                        token.getCharPositionInLine() + 1,
                        token.getText().stripTrailing(),
                        ownLine));
                occupied.set(token.getLine());
                return;
            }
            case RematLexer.STRAY -> {
                report(token, "E0104", "unexpected character '" + printable(token.getText()) + "'", strayNotes(token));
                return;
            }
            case RematLexer.OPEN_STRING -> report(token, "E0105", "this string has no closing quote");
            case RematLexer.STRING -> {
                if (length > LONGEST_STRING) {
                    report(token, "E0108", "a string has at most " + LONGEST_STRING + " characters");
                }
            }
            case RematLexer.NAME -> {
                if (length > LONGEST_NAME) {
                    report(token, "E0108", "a name has at most " + LONGEST_NAME + " characters");
                }
            }
            default -> {}
        }
        if (token.getType() != RematLexer.NEWLINE) {
            occupied.set(token.getLine());
        }
        tokens.add(token);
    }

    private void report(Token token, String code, String message, String... notes) {
        Location location = this.locations.of(token);
        if (!diagnostics.mentions(location.file(), location.line())) {
            diagnostics.add(Diagnostic.error(code, location, message, notes));
        }
    }

    private static String[] strayNotes(Token token) {
        return switch (token.getText()) {
            case "#" -> new String[] {"comments start with //"};
            case "'" -> new String[] {"strings stand in double quotes"};
            case "!" -> new String[] {"write 'not'"};
            case "&" -> new String[] {"write 'and'"};
            case "|" -> new String[] {"write 'or', or '|>' to chain calls"};
            case "^" -> new String[] {"powers are written with **"};
            default -> new String[0];
        };
    }

    private static String printable(String text) {
        return text.chars().allMatch(c -> c >= ' ' && c != 0x7f) ? text : String.format("U+%04X", text.codePointAt(0));
    }
}
