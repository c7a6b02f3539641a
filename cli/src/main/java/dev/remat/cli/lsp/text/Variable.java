package dev.remat.cli.lsp.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A name of one scope, with all places that give it a value. */
public final class Variable {
    /** How a name comes about. */
    public enum Kind {
        MODEL("model"),
        LAYER("layer"),
        OPTIMIZER("optimizer"),
        PARAMETER("parameter of a layer"),
        HYPER_PARAMETER("hyper-parameter"),
        SYMBOL("symbol"),
        INPUT("input"),
        PARAM("param"),
        BUFFER("buffer"),
        LET("name"),
        VALUE("value"),
        LOOP("name of a loop"),
        /** {@code as head}. */
        CALL("call");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        /** As people read it. */
        public String label() {
            return label;
        }
    }

    /** @param counts offset from which on the name stands for it */
    record Binding(Mention mention, int counts) {}

    private final String name;
    private final Kind kind;
    private final Scope scope;
    private final Optional<Scope> body;
    private final List<Binding> bindings = new ArrayList<>();

    /** @param body of a layer or model */
    Variable(String name, Kind kind, Scope scope, Optional<Scope> body) {
        this.name = name;
        this.kind = kind;
        this.scope = scope;
        this.body = body;
    }

    public String name() {
        return name;
    }

    public Kind kind() {
        return kind;
    }

    public Scope scope() {
        return scope;
    }

    public Optional<Scope> body() {
        return body;
    }

    void bind(Mention mention, int counts) {
        bindings.add(new Binding(mention, counts));
    }

    /** Where it gets its values, in the order of the text. */
    public List<Mention> bindings() {
        return bindings.stream().map(Binding::mention).toList();
    }

    /** Where it gets the value that it has at an offset, as far as the text tells. */
    public Mention bindingBefore(int offset) {
        return bindings.stream()
                .filter(binding -> binding.counts <= offset)
                .reduce((first, second) -> second)
                .orElse(bindings.getFirst())
                .mention();
    }

    boolean isBoundBefore(int offset) {
        return bindings.stream().anyMatch(binding -> binding.counts <= offset);
    }

    boolean isBoundIn(Mention.Loop loop) {
        return bindings.stream().anyMatch(binding -> loop.contains(binding.mention.start()));
    }
}
