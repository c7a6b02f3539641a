package dev.remat.compiler.ast;

import dev.remat.ir.diagnostic.Location;
import java.util.List;
import java.util.Optional;

/**
 * A model file, parsed, with the files it includes.
 *
 * @param location of the version line
 * @param version of the language, always 1 so far
 * @param declarations in the order of the file
 */
public record Model(Location location, int version, List<Declaration> declarations) {
    public Model {
        declarations = List.copyOf(declarations);
    }

    /** The model the file defines; a file of layers for others to include has none. */
    public Optional<Declaration.ModelDefinition> definition() {
        return declarations.stream()
                .filter(Declaration.ModelDefinition.class::isInstance)
                .map(Declaration.ModelDefinition.class::cast)
                .findFirst();
    }

    /** The file's training settings, if it has any. */
    public Optional<Declaration.Train> train() {
        return declarations.stream()
                .filter(Declaration.Train.class::isInstance)
                .map(Declaration.Train.class::cast)
                .findFirst();
    }
}
