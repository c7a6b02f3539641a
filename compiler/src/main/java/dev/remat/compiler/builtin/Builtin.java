package dev.remat.compiler.builtin;

/**
 * A function that every model knows.
 *
 * @param ownsParameters whether a call may create parameters, and so has a name of its own
 * @param summary one sentence for the reference
 */
public record Builtin(String name, Signature signature, boolean ownsParameters, String summary, Body body) {
    /** What a call does. */
    @FunctionalInterface
    public interface Body {
        /** @throws SemanticError if the arguments do not suit */
        Datum call(Arguments arguments, Emission out);
    }

    public static Builtin function(String name, String signature, String summary, Body body) {
        return new Builtin(name, Signature.of(signature), false, summary, body);
    }

    public static Builtin layer(String name, String signature, String summary, Body body) {
        return new Builtin(name, Signature.of(signature), true, summary, body);
    }
}
