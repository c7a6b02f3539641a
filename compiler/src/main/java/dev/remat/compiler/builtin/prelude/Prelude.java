package dev.remat.compiler.builtin.prelude;

import dev.remat.compiler.ast.LayerDefinition;
import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.Signature;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.io.TextResource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Builtins that are layers in files of the language, each under its comment. One of {@code ///} is the summary of the
 * reference; a layer without such lines is known in its file alone. Blank lines part layers and stand nowhere else. A
 * layer is parsed when it is first called.
 */
public final class Prelude {
    private static final List<Builtin> TOOLS = PreludeTools.table();

    private Prelude() {}

    /** The functions of {@code file}, in its order. */
    public static List<Builtin> table(String file) {
        List<Builtin> besides = new ArrayList<>(TOOLS);
        List<Builtin> table = new ArrayList<>();
        for (String block : blocks(file)) {
            find("layer", block, besides).ifPresent(layer -> {
                Builtin function = new Builtin(layer.name(), layer.signature(), false, layer.summary(), layer);
                (layer.summary().isEmpty() ? besides : table).add(function);
            });
        }
        return table;
    }

    /** The optimizers of a file, with the layers that only they know. */
    public static List<Written> optimizers(String file) {
        List<Builtin> besides = new ArrayList<>(TOOLS);
        List<Written> optimizers = new ArrayList<>();
        for (String block : blocks(file)) {
            find("layer", block, besides)
                    .ifPresent(layer -> besides.add(new Builtin(layer.name(), layer.signature(), false, "", layer)));
            find("optimizer", block, besides).ifPresent(optimizers::add);
        }
        return optimizers;
    }

    private static Optional<Written> find(String word, String block, List<Builtin> besides) {
        int at = block.indexOf("\n" + word + " ") + 1;
        if (at == 0) {
            return Optional.empty();
        }
        String summary = block.lines()
                .filter(line -> line.startsWith("/// "))
                .map(line -> line.substring(4))
                .collect(Collectors.joining(" "));
        String text = block.substring(at + word.length() + 1);
        int open = text.indexOf('(');
        String parameters = text.substring(open + 1, text.indexOf(") {"));
        String line = parameters
                .lines()
                .map(String::strip)
                .collect(Collectors.joining(" "))
                .strip();
        Signature signature = Signature.of(line.endsWith(",") ? line.substring(0, line.length() - 1) : line);
        return Optional.of(new Written(text.substring(0, open), signature, summary, text, besides));
    }

    /** What blank lines part in a file. */
    private static List<String> blocks(String file) {
        String text = TextResource.read(Prelude.class.getResourceAsStream(file), file);
        List<String> blocks = new ArrayList<>();
        int from = 0;
        for (int blank; (blank = text.indexOf("\n\n", from)) >= 0; from = blank + 2) {
            blocks.add(text.substring(from, blank));
        }
        blocks.add(text.substring(from));
        return blocks;
    }

    /** A layer or optimizer, which is parsed when it is first asked for. */
    public static final class Written implements Builtin.Body {
        private final String name;
        private final Signature signature;
        private final String summary;
        private final String text;
        private final List<Builtin> besides;
        private Optional<LayerDefinition> parsed = Optional.empty();

        private Written(String name, Signature signature, String summary, String text, List<Builtin> besides) {
            this.name = name;
            this.signature = signature;
            this.summary = summary;
            this.text = text;
            this.besides = besides;
        }

        public String name() {
            return name;
        }

        public Signature signature() {
            return signature;
        }

        public String summary() {
            return summary;
        }

        /** What it may call beside the builtins of every model. */
        public List<Builtin> besides() {
            return List.copyOf(besides);
        }

        @Override
        public Datum call(Arguments arguments, Emission out) {
            return out.evaluate(definition(), signature.values(arguments), besides);
        }

        public synchronized LayerDefinition definition() {
            if (parsed.isEmpty()) {
                Source source = new Source("prelude", "remat 1\nlayer " + text + "\n");
                parsed = Optional.of((LayerDefinition) ModelParser.parse(source, IncludeResolver.NONE)
                        .declarations()
                        .getFirst());
            }
            return parsed.get();
        }
    }
}
