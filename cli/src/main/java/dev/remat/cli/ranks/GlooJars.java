package dev.remat.cli.ranks;

import dev.remat.ir.natives.LibraryUnavailableException;
import dev.remat.runtime.process.Engine;
import dev.remat.runtime.process.LoadEngine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Where the jars of Gloo are, which remat comes without: libraries of PyTorch, 110 MB. */
public final class GlooJars {
    /** The variable that names their folder. */
    static final String VARIABLE = "REMAT_GLOO";

    private static final String BUILT = "remat.gloo";
    private static final String WAY_OUT =
            "'mvn -Pgloo -pl runtime/gloo -am -DskipTests package' where remat's sources are" + " builds them, and "
                    + VARIABLE + " names their folder elsewhere";

    private GlooJars() {}

    /** The folder, if there is one. */
    public static Optional<Path> find() {
        return Optional.ofNullable(System.getenv(VARIABLE))
                .or(() -> Optional.ofNullable(System.getProperty(BUILT)))
                .map(Path::of)
                .filter(Files::isDirectory);
    }

    /** @throws LibraryUnavailableException if they are not there */
    static Engine load() {
        return LoadEngine.from(find().orElseThrow(() -> new LibraryUnavailableException(
                "ranks that no MPI joins are joined by Gloo, whose jars are not here: " + WAY_OUT)));
    }

    /**
     * What it is that is there.
     *
     * @throws LibraryUnavailableException if it cannot be loaded
     */
    public static String describe() {
        return load().describe();
    }
}
