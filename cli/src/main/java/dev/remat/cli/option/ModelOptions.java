package dev.remat.cli.option;

import dev.remat.cli.console.CheckedOptions;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelText;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Which model, with which values for its symbols and hyper-parameters. */
public final class ModelOptions extends CheckedOptions {
    @Parameters(paramLabel = "MODEL", description = "A model file.")
    private Path file;

    @Mixin
    private SettingOptions set;

    public Path file() {
        return file;
    }

    /**
     * The model as it was set, which is not read yet.
     *
     * @throws dev.remat.ir.diagnostic.ModelException if a setting is malformed or stands there twice
     */
    public ModelSession session() {
        return ModelSession.of(ModelText.file(file), set.settings());
    }

    /**
     * For a command that computes nothing.
     *
     * @param wayOut what does instead
     * @throws ParameterException if there is a precision
     */
    public void refusePrecision(String wayOut) {
        if (set.precision().isPresent()) {
            throw misuse("--precision says nothing here; " + wayOut);
        }
    }

    /** A source's name as seen from the model's folder, so that it does not tell where that lies. */
    public String relative(String source) {
        try {
            Path folder = file.toAbsolutePath().normalize().getParent();
            Path path = Path.of(source).toAbsolutePath().normalize();
            return path.startsWith(folder) ? folder.relativize(path).toString().replace('\\', '/') : source;
        } catch (InvalidPathException e) {
            return source;
        }
    }
}
