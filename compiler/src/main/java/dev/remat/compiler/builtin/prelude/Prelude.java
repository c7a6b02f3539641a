package dev.remat.compiler.builtin.prelude;

import dev.remat.compiler.ast.LayerDefinition;
import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.Kind;
import dev.remat.compiler.builtin.Signature;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.ir.diagnostic.Source;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/**
 * Builtins that are layers in files of the language, each under its comment. One of {@code ///} is the summary of the
 * reference; a layer without such lines is known in its file alone. Blank lines part layers and stand nowhere else. A
 * layer is parsed when it is first called.
 */
public final class Prelude {
    private Prelude() {}

    /** The functions of {@code file}, in its order. */
    public static List<Builtin> table(String file) {
        List<Builtin> besides = new ArrayList<>(PreludeTools.table());
        List<Builtin> table = new ArrayList<>();
        for (String block : read(file).split("\n\n")) {
            int layer = block.indexOf("\nlayer ") + 1;
            if (layer > 0) {
                String summary = block.lines()
                        .filter(line -> line.startsWith("/// "))
                        .map(line -> line.substring(4))
                        .collect(Collectors.joining(" "));
                Builtin function = function(block.substring(layer), summary, besides);
                (summary.isEmpty() ? besides : table).add(function);
            }
        }
        return table;
    }

    private static Builtin function(String layer, String summary, List<Builtin> besides) {
        int open = layer.indexOf('(');
        String parameters = layer.substring(open + 1, layer.indexOf(") {"));
        Signature signature =
                Signature.of(parameters.strip().replaceAll(",$", "").replaceAll("\\s+", " "));
        String name = layer.substring("layer ".length(), open);
        return new Builtin(name, signature, false, summary, new Written(layer, signature, besides));
    }

    private static String read(String file) {
        try (InputStream text = Prelude.class.getResourceAsStream(file)) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A layer that is yet to be parsed. */
    private static final class Written implements Builtin.Body {
        private final String text;
        private final Signature signature;
        private final List<Builtin> besides;
        private Optional<LayerDefinition> parsed = Optional.empty();

        Written(String text, Signature signature, List<Builtin> besides) {
            this.text = text;
            this.signature = signature;
            this.besides = besides;
        }

        @Override
        public Datum call(Arguments arguments, Emission out) {
            SequencedMap<String, Datum> values = new LinkedHashMap<>();
            for (Signature.Slot slot : signature.slots()) {
                boolean real = slot.kind() == Kind.FLOAT && arguments.isGiven(slot.name());
                values.put(
                        slot.name(),
                        real ? new Datum.FloatValue(arguments.real(slot.name())) : arguments.any(slot.name()));
            }
            return out.evaluate(definition(), values, besides);
        }

        private synchronized LayerDefinition definition() {
            if (parsed.isEmpty()) {
                Source source = new Source("prelude", "remat 1\n" + text + "\n");
                parsed = Optional.of((LayerDefinition) ModelParser.parse(source, IncludeResolver.NONE)
                        .declarations()
                        .getFirst());
            }
            return parsed.get();
        }
    }
}
