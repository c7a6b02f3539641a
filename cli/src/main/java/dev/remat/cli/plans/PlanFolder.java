package dev.remat.cli.plans;

import dev.remat.cli.console.Console;
import dev.remat.compiler.known.PlanStore;
import dev.remat.ir.io.FileProblem;
import dev.remat.ir.io.Sha256;
import dev.remat.ir.natives.DamagedFileException;
import dev.remat.ir.natives.KeptFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Plans in the user's cache folder. Those that a search with a time limit has found are for commands with the same
 * limit alone; those that one without has found are for all. What goes wrong is told once, and plans are searched for.
 */
public final class PlanFolder implements PlanStore {
    /** The longest that plans may be all together. */
    public static final long MOST_BYTES = 64L << 20;

    private static final String KIND = "plan";

    private final Path folder;
    private final Optional<Duration> limit;
    private final Console console;
    private Optional<KeptFiles> files = Optional.empty();
    private String version = "";
    private boolean failed;

    private PlanFolder(Path folder, Optional<Duration> limit, Console console) {
        this.folder = folder;
        this.limit = limit;
        this.console = console;
    }

    /**
     * Where the console's user has plans kept, if anywhere.
     *
     * @param limit of the time that searches have
     */
    public static PlanStore of(Console console, Optional<Duration> limit) {
        return console.cache()
                .<PlanStore>map(cache -> new PlanFolder(in(cache), limit, console))
                .orElse(NONE);
    }

    /** The folder for plans in a cache folder. */
    public static Path in(Path cache) {
        return cache.resolve("plans");
    }

    @Override
    public Optional<byte[]> find(String key) {
        if (!open()) {
            return Optional.empty();
        }
        Optional<byte[]> found = read(name(key, Optional.empty()));
        return found.isPresent() || limit.isEmpty() ? found : read(name(key, limit));
    }

    @Override
    public void keep(String key, byte[] plan) {
        if (open()) {
            attempt(() -> files.orElseThrow().keep(name(key, limit), plan));
        }
    }

    /** For those that have the same limit. */
    @Override
    public boolean keepsWhatWasEnded() {
        return limit.isPresent();
    }

    @Override
    public void drop(String key, String why) {
        console.note("a kept plan is dropped, since " + why + "; planning anew");
        attempt(() -> files.orElseThrow().drop(name(key, Optional.empty())));
        attempt(() -> files.orElseThrow().drop(name(key, limit)));
    }

    private Optional<byte[]> read(String name) {
        try {
            Optional<byte[]> found = files.orElseThrow().find(name);
            if (found.isPresent()) {
                files.orElseThrow().use(name, FileTime.from(Instant.now()));
            }
            return found;
        } catch (DamagedFileException e) {
            console.note("a kept plan is dropped: " + e.getMessage() + "; planning anew");
            attempt(() -> files.orElseThrow().drop(name));
        } catch (IOException e) {
            tell(e);
        }
        return Optional.empty();
    }

    /** Opens the folder when it is needed first. */
    private boolean open() {
        if (files.isEmpty() && !failed) {
            attempt(() -> {
                Optional<String> own = OwnHash.ofProcess();
                if (own.isPresent()) {
                    version = own.get();
                    files = Optional.of(KeptFiles.open(folder, KIND, MOST_BYTES));
                }
                failed = own.isEmpty();
            });
        }
        return !failed;
    }

    private interface Attempt {
        void run() throws IOException;
    }

    private void attempt(Attempt work) {
        try {
            work.run();
        } catch (IOException e) {
            tell(e);
        }
    }

    private void tell(IOException e) {
        if (!failed) {
            console.note("plans are not kept, because their cache fails: " + FileProblem.withName(e)
                    + "; --no-cache does without");
        }
        failed = true;
    }

    private String name(String key, Optional<Duration> within) {
        MessageDigest digest = Sha256.digest();
        String all =
                version + "\n" + key + "\n" + within.map(Duration::toString).orElse("");
        digest.update(all.getBytes(StandardCharsets.UTF_8));
        return Sha256.hex(digest);
    }
}
