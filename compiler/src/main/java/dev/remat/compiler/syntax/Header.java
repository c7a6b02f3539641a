package dev.remat.compiler.syntax;

import dev.remat.compiler.syntax.grammar.RematLexer;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Diagnostics;
import java.util.ArrayList;
import java.util.List;
import org.antlr.v4.runtime.CommonToken;
import org.antlr.v4.runtime.Token;

/** The version line {@code remat 1}. */
final class Header {
    private Header() {}

    /** The tokens with a version line put in where it is missing, so that one error does not become many. */
    static List<Token> check(List<Token> tokens, TokenLocations locations, Diagnostics diagnostics) {
        Token first = tokens.getFirst();
        if (first.getType() == RematLexer.REMAT) {
            Token version = tokens.get(1);
            if (version.getType() == RematLexer.INT && !version.getText().equals("1")) {
                diagnostics.add(Diagnostic.error(
                        "E0101",
                        locations.of(version),
                        "language version " + version.getText() + " is unknown",
                        "this compiler reads version 1"));
            }
            return tokens;
        }
        diagnostics.add(Diagnostic.error(
                "E0101", locations.of(first), "the file does not start with 'remat 1'", "make it the first line"));
        List<Token> complete = new ArrayList<>(tokens.size() + 3);
        complete.add(synthetic(first, RematLexer.REMAT, "remat"));
        complete.add(synthetic(first, RematLexer.INT, "1"));
        complete.add(synthetic(first, RematLexer.NEWLINE, ""));
        complete.addAll(tokens);
        return complete;
    }

    private static Token synthetic(Token at, int type, String text) {
        CommonToken token = new CommonToken(at);
        token.setType(type);
        token.setText(text);
        return token;
    }
}
