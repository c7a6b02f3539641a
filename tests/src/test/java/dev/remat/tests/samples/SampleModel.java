package dev.remat.tests.samples;

import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.diagnostic.Source;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A file of the samples module.
 *
 * @param name without its ending
 * @param tiny what {@code --set} says to make it small enough to differentiate numerically; binds every symbol
 */
public record SampleModel(String name, String tiny) {
    private static final Path FOLDER = Path.of("").toAbsolutePath().resolveSibling("samples");

    /** The file on disk. */
    public Path path() {
        return FOLDER.resolve(name + ".model");
    }

    Source source() {
        try {
            return new Source(name + ".model", Files.readString(path()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The model as {@code --set} sizes it; an empty text leaves everything as it is. */
    ElaboratedModel elaborate(String settings, Purpose purpose) {
        Bindings bindings = settings.isEmpty() ? Bindings.NONE : Bindings.parse(List.of(settings));
        return Elaborator.elaborate(ModelParser.parse(source(), IncludeResolver.NONE), bindings, purpose);
    }

    /** The training graph's forward part at the tiny size. */
    public ElaboratedModel tinyModel() {
        return elaborate(tiny, Purpose.TRAIN);
    }

    /** The training graph's forward part with the model's own hyper-parameters but for {@code settings}. */
    public ElaboratedModel sized(String settings) {
        return elaborate(settings, Purpose.TRAIN);
    }

    @Override
    public String toString() {
        return name;
    }
}
