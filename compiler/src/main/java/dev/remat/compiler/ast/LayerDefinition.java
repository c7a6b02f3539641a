package dev.remat.compiler.ast;

import dev.remat.ir.diagnostic.Location;
import java.util.List;

/** {@code layer Name(parameters) { … }}, at the top of a file or nested in a model or layer. */
public record LayerDefinition(Location location, Identifier name, List<Parameter> parameters, Block body)
        implements Declaration, Statement {
    public LayerDefinition {
        parameters = List.copyOf(parameters);
    }
}
