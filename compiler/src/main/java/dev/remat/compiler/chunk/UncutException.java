package dev.remat.compiler.chunk;

import dev.remat.ir.diagnostic.Location;

/** Says why the tensors of a loss cannot be computed a chunk of rows at a time, in a clause, and where that is. */
final class UncutException extends RuntimeException {
    private final transient Location location;

    UncutException(String reason, Location location) {
        super(reason);
        this.location = location;
    }

    Location location() {
        return location;
    }
}
