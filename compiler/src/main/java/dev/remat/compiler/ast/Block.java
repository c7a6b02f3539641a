package dev.remat.compiler.ast;

import dev.remat.ir.diagnostic.Location;
import java.util.List;

/**
 * Statements between braces.
 *
 * @param location of the opening brace
 * @param end of the closing brace
 */
public record Block(Location location, List<Statement> statements, Location end) {
    public Block {
        statements = List.copyOf(statements);
    }
}
