package dev.remat.cli.lsp.text;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The names of a file, a model, a layer or a training, and those around it. */
public final class Scope {
    /** What has names of its own. */
    public enum Kind {
        FILE,
        MODEL,
        LAYER,
        TRAIN
    }

    private final Kind kind;
    private final int start;
    private final List<Variable> parameters = new ArrayList<>();
    private final List<String> fallbacks = new ArrayList<>();
    private final Map<String, Variable> variables = new LinkedHashMap<>();
    private Optional<Scope> outer;
    private int end = Integer.MAX_VALUE;

    Scope(Kind kind, Optional<Scope> outer, int start) {
        this.kind = kind;
        this.outer = outer;
        this.start = start;
    }

    public Kind kind() {
        return kind;
    }

    /** A training sees the names of the model, wherever that stands. */
    void setOuter(Scope model) {
        outer = Optional.of(model);
    }

    void end(int offset) {
        end = offset;
    }

    boolean contains(int offset) {
        return start <= offset && offset <= end;
    }

    Variable bind(Mention mention, Variable.Kind kind, int counts, Optional<Scope> body) {
        Variable variable = variables.computeIfAbsent(mention.name(), name -> new Variable(name, kind, this, body));
        variable.bind(mention, counts);
        return variable;
    }

    /** @param written as it stands there, with its type and default */
    void parameter(Variable variable, String written) {
        parameters.add(variable);
        fallbacks.add(written);
    }

    /** Of a layer or model, in their order. */
    public List<Variable> parameters() {
        return List.copyOf(parameters);
    }

    /** The same as they are written: {@code width: int = 8}. */
    public List<String> parametersAsWritten() {
        return List.copyOf(fallbacks);
    }

    public Optional<Variable> own(String name) {
        return Optional.ofNullable(variables.get(name));
    }

    public List<Variable> variables() {
        return List.copyOf(variables.values());
    }

    /** The variable that a name stands for where it is read; empty if that is none of the file. */
    public Optional<Variable> resolve(String name, int offset, Optional<Mention.Loop> loop) {
        Optional<Variable> late = Optional.empty();
        Optional<Variable> own = own(name);
        if (own.isPresent()) {
            boolean seen = kind == Kind.FILE
                    || own.get().isBoundBefore(offset)
                    || loop.filter(own.get()::isBoundIn).isPresent();
            if (seen) {
                return own;
            }
            late = own;
        }
        for (Optional<Scope> at = outer; at.isPresent(); at = at.get().outer) {
            Optional<Variable> found = at.get().own(name);
            if (found.isPresent()) {
                return found;
            }
        }
        return late;
    }

    /** Names that a line at an offset may read, innermost first, each once. */
    public List<Variable> visible(int offset) {
        Map<String, Variable> seen = new LinkedHashMap<>();
        for (Optional<Scope> at = Optional.of(this); at.isPresent(); at = at.get().outer) {
            boolean own = at.get() == this && kind != Kind.FILE;
            at.get().variables.values().stream()
                    .filter(variable -> !own || variable.isBoundBefore(offset))
                    .forEach(variable -> seen.putIfAbsent(variable.name(), variable));
        }
        return List.copyOf(seen.values());
    }
}
