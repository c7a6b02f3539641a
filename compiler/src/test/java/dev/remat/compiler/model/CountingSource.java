package dev.remat.compiler.model;

import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/** A text that remembers what was elaborated. */
class CountingSource implements ModelSource {
    private final ModelSource text;
    private final List<String> elaborated = new ArrayList<>();

    CountingSource(String text) {
        this.text = ModelText.of(new Source("m", text), IncludeResolver.NONE);
    }

    /** Purposes with what was set then, in order. */
    List<String> elaborated() {
        return elaborated;
    }

    @Override
    public List<Source> files() {
        return text.files();
    }

    @Override
    public Optional<Identity> identity() {
        return text.identity();
    }

    @Override
    public Set<String> trainingSettings() {
        return text.trainingSettings();
    }

    @Override
    public Optional<String> batchSymbol() {
        return text.batchSymbol();
    }

    @Override
    public List<Diagnostic> warnings() {
        return text.warnings();
    }

    @Override
    public SequencedMap<String, String> hyperParameters(Bindings bindings) {
        return text.hyperParameters(bindings);
    }

    @Override
    public ElaboratedModel elaborate(Bindings bindings, Purpose purpose) {
        elaborated.add(purpose.label() + " " + bindings.values());
        return text.elaborate(bindings, purpose);
    }
}
