package dev.remat.ir.natives;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Where remat keeps what can be made again: {@code $REMAT_CACHE_DIR}, else {@code $XDG_CACHE_HOME/remat}, else
 * {@code ~/.cache/remat}.
 *
 * @param path absolute; empty where there is no home
 * @param isChosen whether the user named this very folder, so that no other will do
 */
public record CacheFolder(Optional<Path> path, boolean isChosen) {
    public static final String SETTING = "REMAT_CACHE_DIR";

    /** @throws LibraryUnavailableException if {@link #SETTING} is no absolute path */
    public static CacheFolder ofProcess() {
        return of(System.getenv(), System.getProperty("user.home", ""));
    }

    /**
     * @param environment of the process
     * @param home of the user as the system knows it, for a process without {@code HOME}
     */
    static CacheFolder of(Map<String, String> environment, String home) {
        String chosen = environment.getOrDefault(SETTING, "");
        if (!chosen.isEmpty()) {
            return new CacheFolder(
                    Optional.of(absolute(chosen)
                            .orElseThrow(() -> new LibraryUnavailableException(SETTING + " is '" + chosen
                                    + "', which is no absolute path; it names the folder for native libraries and"
                                    + " compiled kernels"))),
                    true);
        }
        // What is not absolute there is to be ignored (XDG Base Directory Specification).
        Optional<Path> caches = absolute(environment.getOrDefault("XDG_CACHE_HOME", ""))
                .or(() -> absolute(environment.getOrDefault("HOME", ""))
                        .or(() -> absolute(home))
                        .map(folder -> folder.resolve(".cache")));
        return new CacheFolder(caches.map(folder -> folder.resolve("remat")), false);
    }

    private static Optional<Path> absolute(String path) {
        try {
            return Optional.of(Path.of(path)).filter(Path::isAbsolute);
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }
}
