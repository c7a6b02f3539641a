package dev.remat.cli;

import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.elaborate.Mode;
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

    /**
     * Reads the model.
     *
     * @throws dev.remat.ir.diagnostic.ModelException if it is wrong, or a setting does not suit it
     * @throws ParameterException if a symbol is left without a value
     */
    ElaboratedModel elaborate(Mode mode) {
        ElaboratedModel model = Elaborator.elaborate(
                ModelParser.parse(SourceFiles.read(file), new FolderIncludes(file)), Bindings.parse(settings), mode);
        for (String symbol : model.symbols()) {
            if (!Bindings.parse(settings).values().containsKey(symbol)) {
                throw new ParameterException(command.commandLine(), "the model's symbol " + symbol
                        + " needs a value, such as --set " + symbol + "=16");
            }
        }
        return model;
    }

    /** Everything that was set, by name, as it was written. */
    SequencedMap<String, String> settings() {
        return new LinkedHashMap<>(new TreeMap<>(Bindings.parse(settings).values()));
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

    /** Extents of the model's symbols, in its order. */
    SequencedMap<String, Long> symbols(ElaboratedModel model) {
        SequencedMap<String, Long> extents = new LinkedHashMap<>();
        for (String symbol : model.symbols()) {
            extents.put(symbol, Long.valueOf(Bindings.parse(settings).values().get(symbol)));
        }
        return extents;
    }
}
