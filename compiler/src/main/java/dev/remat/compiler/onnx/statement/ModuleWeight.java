package dev.remat.compiler.onnx.statement;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A weight that a module has beside those of its layers, such as {@code mix.weight}: a statement that says which it is
 * until it is known which layers there are. Then it becomes a parameter of the layer that it is in, or of a layer that
 * has nothing else.
 *
 * @param value that it is read as
 * @param declaration as of a parameter or buffer, without its name: {@code param : f32[2] = zeros}
 * @param name with the module's path
 */
public record ModuleWeight(String value, String declaration, String name) {
    private static final String MODULE = "[A-Za-z_]\\w*(\\.\\w+)+";
    private static final Pattern STATEMENT =
            Pattern.compile("(\\w+) = weight\\((.*)\\) as \"?([\\w.]+)\"?", Pattern.DOTALL);

    static boolean isOne(String name) {
        return name.matches(MODULE) && Names.isPlain(name.substring(name.lastIndexOf('.') + 1));
    }

    static Spelling spelling(Declaration declaration, String name) {
        String said = declaration.text().replaceFirst(" " + declaration.name() + ":", " :");
        return new Spelling("weight(" + said + ") as \"" + name + "\"", Spelling.ATOM, List.of());
    }

    /** Whether a value is one. */
    public static boolean isOne(Spelling value) {
        return value.text().startsWith("weight(");
    }

    private static Optional<ModuleWeight> of(String statement) {
        Matcher matcher = STATEMENT.matcher(statement);
        return matcher.matches()
                ? Optional.of(new ModuleWeight(matcher.group(1), matcher.group(2), matcher.group(3)))
                : Optional.empty();
    }

    private String module() {
        return name.substring(0, name.lastIndexOf('.'));
    }

    private String parameter() {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** The declaration, in the layer whose weight it is. */
    private String declared() {
        return declaration.replaceFirst(" :", " " + parameter() + ":");
    }

    /**
     * Declares the weights of a layer, or of a model, that its statements say.
     *
     * @param lines its statements; what is left of them comes back
     * @param layers what is added to definitions of layers
     */
    public static List<String> declare(List<String> lines, List<String> layers, Names names) {
        SequencedMap<String, List<ModuleWeight>> byModule = new LinkedHashMap<>();
        List<String> declarations = new ArrayList<>();
        SequencedMap<String, String> renamed = new LinkedHashMap<>();
        for (String line : lines) {
            of(line).ifPresent(weight -> {
                if (weight.name().contains(".")) {
                    byModule.computeIfAbsent(weight.module(), _ -> new ArrayList<>())
                            .add(weight);
                } else {
                    renamed.put(weight.value(), weight.name());
                    declarations.add(weight.declaration().replaceFirst(" :", " " + weight.name() + ":"));
                }
            });
        }
        List<String> result = new ArrayList<>(declarations);
        SequencedMap<String, String> known = new LinkedHashMap<>();
        for (String line : lines) {
            Optional<ModuleWeight> weight = of(line);
            if (weight.isEmpty()) {
                result.add(renamed(line, renamed));
            } else if (weight.get().name().contains(".")) {
                List<ModuleWeight> all = byModule.remove(weight.get().module());
                if (all != null) {
                    result.add(call(all, known, layers, names));
                }
            }
        }
        return result;
    }

    private static String renamed(String line, SequencedMap<String, String> names) {
        String result = line;
        for (var each : names.entrySet()) {
            result = result.replaceAll("\\b" + each.getKey() + "\\b", each.getValue());
        }
        return result;
    }

    /** A layer that has weights alone, and its application. */
    private static String call(
            List<ModuleWeight> weights, SequencedMap<String, String> known, List<String> layers, Names names) {
        StringBuilder body = new StringBuilder("() {\n");
        weights.forEach(weight -> body.append(weight.declared()).append("\n"));
        body.append("return ")
                .append(String.join(
                        ", ", weights.stream().map(ModuleWeight::parameter).toList()))
                .append("\n}\n");
        String module = weights.getFirst().module();
        String layer = known.computeIfAbsent(body.toString(), _ -> {
            String name = names.fresh(layerName(module));
            layers.add("layer " + name + body);
            return name;
        });
        return String.join(", ", weights.stream().map(ModuleWeight::value).toList()) + " = " + layer + "() as \""
                + module + "\"";
    }

    private static String layerName(String module) {
        List<String> words = List.of(module.split("\\.")).stream()
                .filter(segment -> segment.matches("[A-Za-z]\\w*"))
                .toList();
        String last = words.isEmpty() ? "Weights" : words.getLast();
        return last.substring(0, 1).toUpperCase(Locale.ROOT) + last.substring(1);
    }
}
