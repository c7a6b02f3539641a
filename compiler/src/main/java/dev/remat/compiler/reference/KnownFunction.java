package dev.remat.compiler.reference;

import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Signature;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A function that every model knows, or a choice that a setting has.
 *
 * @param family what it is about, such as {@code Convolutions}
 * @param summary one sentence; empty for the choices of settings
 * @param ownsParameters whether a call may create parameters
 */
public record KnownFunction(
        String name, String family, List<Argument> arguments, String summary, boolean ownsParameters) {
    /**
     * What it takes.
     *
     * @param type as signatures write it, such as {@code int}
     * @param meaning "an integer"
     * @param fallback as written; empty for what must be given
     */
    public record Argument(String name, String type, String meaning, Optional<String> fallback) {
        /** {@code bias: bool = true}. */
        public String text() {
            return name + ": " + type + fallback.map(value -> " = " + value).orElse("");
        }
    }

    public KnownFunction {
        arguments = List.copyOf(arguments);
    }

    static KnownFunction of(String family, Builtin builtin) {
        return new KnownFunction(
                builtin.name(), family, arguments(builtin.signature()), builtin.summary(), builtin.ownsParameters());
    }

    static KnownFunction of(String setting, String name, Signature signature) {
        return new KnownFunction(name, setting, arguments(signature), "", false);
    }

    private static List<Argument> arguments(Signature signature) {
        List<Argument> arguments = new ArrayList<>();
        String[] written =
                signature.text().isEmpty() ? new String[0] : signature.text().split(", ");
        for (int i = 0; i < written.length; i++) {
            Signature.Slot slot = signature.slots().get(i);
            String[] parts = written[i].split(" = ", 2);
            arguments.add(new Argument(
                    slot.name(),
                    slot.kind().label(),
                    slot.kind().description(),
                    parts.length == 1 ? Optional.empty() : Optional.of(parts[1])));
        }
        return arguments;
    }

    /** {@code linear(x: tensor, out_features: int, …)}. */
    public String signature() {
        return name
                + String.join(", ", arguments.stream().map(Argument::text).toList())
                        .transform(inside -> "(" + inside + ")");
    }
}
