package dev.remat.cli;

import dev.remat.compiler.ast.Model;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.elaborate.Mode;
import dev.remat.compiler.error.Suggestion;
import dev.remat.compiler.syntax.FolderIncludes;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.syntax.SourceFiles;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Which model, with which values for its symbols and hyper-parameters. */
final class ModelOptions {
    @CommandLine.Spec(CommandLine.Spec.Target.MIXEE)
    private CommandLine.Model.CommandSpec command;

    @Parameters(paramLabel = "MODEL", description = "A model file.")
    private Path file;

    @Option(
            names = "--set",
            paramLabel = "NAME=VALUE",
            description = "Bind a symbol or override a hyper-parameter; repeat the option or separate by commas.")
    private List<String> settings = new ArrayList<>();

    private Model parsed;

    /**
     * Reads the model.
     *
     * @throws dev.remat.ir.diagnostic.ModelException if it is wrong, or a setting does not suit it
     * @throws ParameterException if a symbol is left without a value
     */
    ElaboratedModel elaborate(Mode mode) {
        return complete(read(mode, bindings()), bindings());
    }

    /** The same with an extent for one more symbol. */
    ElaboratedModel elaborate(Mode mode, String symbol, long extent) {
        Bindings more = bindings().with(symbol, String.valueOf(extent));
        return complete(read(mode, more), more);
    }

    /** @throws ParameterException unless it is a symbol of the model's, and no setting gives it a value */
    void requireFree(String symbol) {
        List<String> symbols = read(Mode.TRAINING, bindings()).symbols();
        if (!symbols.contains(symbol)) {
            String nearest =
                    Suggestion.note(symbol, symbols).map(note -> "; " + note).orElse("");
            throw new ParameterException(
                    command.commandLine(),
                    "the model has no symbol '" + symbol + "'" + nearest
                            + (symbols.isEmpty() ? "" : " (symbols: " + String.join(", ", symbols) + ")"));
        }
        if (bindings().values().containsKey(symbol)) {
            throw new ParameterException(
                    command.commandLine(),
                    "the extent of " + symbol + " is what is looked for, so --set must not give it");
        }
    }

    private ElaboratedModel read(Mode mode, Bindings bindings) {
        if (parsed == null) {
            parsed = ModelParser.parse(SourceFiles.read(file), new FolderIncludes(file));
        }
        return Elaborator.elaborate(parsed, bindings, mode);
    }

    private ElaboratedModel complete(ElaboratedModel model, Bindings bindings) {
        for (String symbol : model.symbols()) {
            if (!bindings.values().containsKey(symbol)) {
                throw new ParameterException(
                        command.commandLine(),
                        "the model's symbol " + symbol + " needs a value, such as --set " + symbol + "=16");
            }
        }
        return model;
    }

    private Bindings bindings() {
        return Bindings.parse(settings);
    }

    Path file() {
        return file;
    }

    /** Everything that was set, by name, as it was written. */
    SequencedMap<String, String> settings() {
        return new LinkedHashMap<>(new TreeMap<>(bindings().values()));
    }

    /** A source's name as seen from the model's folder, so that it does not tell where that lies. */
    String relative(String source) {
        try {
            Path folder = file.toAbsolutePath().normalize().getParent();
            Path path = Path.of(source).toAbsolutePath().normalize();
            return path.startsWith(folder) ? folder.relativize(path).toString().replace('\\', '/') : source;
        } catch (InvalidPathException e) {
            return source;
        }
    }

    /** Extents of the model's symbols that settings give, in its order. */
    SequencedMap<String, Long> symbols(ElaboratedModel model) {
        SequencedMap<String, Long> extents = new LinkedHashMap<>();
        for (String symbol : model.symbols()) {
            if (bindings().values().containsKey(symbol)) {
                extents.put(symbol, Long.valueOf(bindings().values().get(symbol)));
            }
        }
        return extents;
    }
}
