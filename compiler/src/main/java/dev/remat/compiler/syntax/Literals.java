package dev.remat.compiler.syntax;

import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Diagnostics;
import org.antlr.v4.runtime.Token;

/** Values of literal tokens, within what 64-bit numbers hold. */
final class Literals {
    private final TokenLocations locations;
    private final Diagnostics diagnostics;

    Literals(TokenLocations locations, Diagnostics diagnostics) {
        this.locations = locations;
        this.diagnostics = diagnostics;
    }

    long integer(Token token) {
        try {
            return Long.parseLong(token.getText().replace("_", ""));
        } catch (NumberFormatException e) {
            report(token, "E0106", "the integer is larger than " + Long.MAX_VALUE);
            return 0;
        }
    }

    double real(Token token) {
        double value = Double.parseDouble(token.getText().replace("_", ""));
        if (Double.isInfinite(value)) {
            report(token, "E0106", "the number is larger than " + Double.MAX_VALUE);
            return 0;
        }
        return value;
    }

    /** Text between the quotes, with {@code \n}, {@code \t}, {@code \"} and {@code \\} replaced. */
    String string(Token token) {
        String quoted = token.getText();
        StringBuilder value = new StringBuilder();
        for (int i = 1; i < quoted.length() - 1; i++) {
            char c = quoted.charAt(i);
            if (c != '\\') {
                value.append(c);
                continue;
            }
            char escaped = quoted.charAt(++i);
            switch (escaped) {
                case 'n' -> value.append('\n');
                case 't' -> value.append('\t');
                case '"', '\\' -> value.append(escaped);
                default -> report(token, "E0105", "unknown escape '\\" + escaped + "' in a string");
            }
        }
        return value.toString();
    }

    private void report(Token token, String code, String message) {
        diagnostics.add(Diagnostic.error(code, locations.of(token), message)
                .underlining(token.getText().length()));
    }
}
