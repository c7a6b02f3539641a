package dev.remat.compiler.syntax;

import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.Source;
import org.antlr.v4.runtime.Token;

/** Locations of tokens: the scanner counts columns from 0 in code points, locations from 1 in UTF-16 code units. */
final class TokenLocations {
    private final Source source;
    private final boolean wide;

    TokenLocations(Source source) {
        this.source = source;
        this.wide = source.text().chars().anyMatch(unit -> Character.isSurrogate((char) unit));
    }

    Location of(Token token) {
        int column = token.getCharPositionInLine();
        if (wide) {
            String line = source.line(token.getLine());
            column = line.offsetByCodePoints(0, Math.min(column, line.codePointCount(0, line.length())));
        }
        return new Location(source.file(), token.getLine(), column + 1);
    }
}
