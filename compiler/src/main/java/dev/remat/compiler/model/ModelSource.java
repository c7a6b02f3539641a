package dev.remat.compiler.model;

import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/**
 * Where a model comes from. It is read when something is first asked of it, and then kept; a question throws {@link
 * ModelException} where it cannot be read.
 */
public interface ModelSource {
    /**
     * What is known of a model before anything has a value.
     *
     * @param bodyHash SHA-256 of what gives parameters their meaning, in hexadecimal
     */
    record Identity(String name, String bodyHash) {}

    /** The files that it was read from, its own first, named as locations name them. */
    List<Source> files();

    /** Empty if nothing here defines a model. */
    Optional<Identity> identity();

    /** Names of the settings that it is trained with by itself. */
    Set<String> trainingSettings();

    /** The symbol with which the shapes of its inputs are declared to begin, if it is one for all. */
    Optional<String> batchSymbol();

    /** What is odd though it can be compiled. */
    List<Diagnostic> warnings();

    /**
     * Texts of the hyper-parameters' values by name; nothing of what has no value.
     *
     * @throws ModelException if a setting does not suit it (E02xx, E03xx)
     */
    SequencedMap<String, String> hyperParameters(Bindings bindings);

    /**
     * The model over the symbols that {@code bindings} leave open.
     *
     * @throws ModelException if it is wrong, or a setting does not suit it
     */
    ElaboratedModel elaborate(Bindings bindings, Purpose purpose);
}
