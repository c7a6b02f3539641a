package dev.remat.compiler.ast;

import dev.remat.ir.diagnostic.Location;

/** A name as written, with its location. */
public record Identifier(Location location, String text) {
    @Override
    public String toString() {
        return text;
    }
}
