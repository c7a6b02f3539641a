package dev.remat.cli.option;

import dev.remat.cli.trained.NamesMap;
import dev.remat.runtime.io.CorruptFileException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What tensors of the model are called in a file. */
public final class TensorNames {
    @Option(
            names = "--prefix",
            paramLabel = "TEXT",
            defaultValue = "",
            description = "What every name in the file begins with.")
    private String prefix;

    @Option(
            names = "--names",
            paramLabel = "FILE",
            description = "A text with two columns, the model's name of a tensor and the file's, and a third where the"
                    + " file has it in another layout: T, transposed; [0:768], in these rows of a packed tensor; or"
                    + " T[0:768]. A tensor that does not stand there keeps its name; one that stands there twice is"
                    + " twice in the file, as a tied weight is; behind '-' stands one that the model does without.")
    private Path file;

    /** Null if there is none. */
    public Path file() {
        return file;
    }

    /** The option that is given, if one is. */
    public Optional<String> given() {
        return file != null ? Optional.of("--names") : Optional.of("--prefix").filter(_ -> !prefix.isEmpty());
    }

    /** @throws CorruptFileException if the file is not UTF-8, or a line is not as described */
    public NamesMap read() throws IOException {
        return NamesMap.read(file, prefix);
    }
}
