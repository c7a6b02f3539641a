package dev.remat.ir.natives;

import dev.remat.ir.io.FileProblem;
import dev.remat.ir.io.Sha256;
import dev.remat.ir.io.TextResource;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Native libraries that lie on the class path in a jar of somebody else, and are unpacked, verified and loaded
 * together, once a process. What each is to contain stands in a list beside the class that uses them, in the format of
 * {@code sha256sum}; so neither another jar nor what was unpacked earlier is taken on trust.
 */
public final class NativeLibraries {
    /** The property that a launcher sets where some libraries were left out on purpose. */
    private static final String BUNDLE = "remat.bundle";

    private static final int HASH_DIGITS = 64;
    private static final int SHORT_DIGITS = 8;

    /** Loading is the process's, so there is one who is told about it. */
    private static volatile Consumer<String> listener = note -> {};

    private final String name;
    private final String artifact;
    private final String source;
    private final ClassLoader classPath;
    private final List<Library> libraries;
    private final String hash;
    private Optional<Loaded> loaded = Optional.empty();
    private boolean lacking;

    /**
     * One file.
     *
     * @param sha256 64 hexadecimal digits
     */
    record Library(String file, String sha256) {}

    /**
     * Libraries that are loaded.
     *
     * @param symbols of the last one
     * @param folder from which; if it is temporary it is gone by now
     */
    public record Loaded(SymbolLookup symbols, Path folder, boolean isTemporary) {}

    /**
     * @param name for people
     * @param artifact the jar's coordinates
     * @param source the folder in the jar, with a slash at its end
     * @param classPath where the jar is
     * @param list a line for each library in the order in which they are loaded, those that others need first
     */
    NativeLibraries(String name, String artifact, String source, ClassLoader classPath, String list) {
        this.name = name;
        this.artifact = artifact;
        this.source = source;
        this.classPath = classPath;
        this.libraries = list.lines()
                .map(line -> new Library(line.substring(HASH_DIGITS).strip(), line.substring(0, HASH_DIGITS)))
                .toList();
        MessageDigest digest = Sha256.digest();
        digest.update(list.getBytes(StandardCharsets.UTF_8));
        this.hash = Sha256.hex(digest).substring(0, SHORT_DIGITS);
    }

    /**
     * The libraries that a list tells of.
     *
     * @param user has the list beside it, as the resource {@code <name in lower case, letters only>.sha256}
     * @param name for people, such as {@code OpenBLAS}
     * @param artifact the jar's coordinates, for who lacks it
     * @param source the folder in the jar, with a slash at its end
     */
    public static NativeLibraries listed(Class<?> user, String name, String artifact, String source) {
        String list = fileName(name) + ".sha256";
        String text = TextResource.read(user.getResourceAsStream(list), list);
        return new NativeLibraries(name, artifact, source, user.getClassLoader(), text);
    }

    /** From now on {@code notes} is told what users should know of where libraries are loaded from. */
    public static void tell(Consumer<String> notes) {
        listener = notes;
    }

    public String name() {
        return name;
    }

    /** Tells apart what differs in a byte: 8 hexadecimal digits. */
    public String hash() {
        return hash;
    }

    /** What the libraries are called on the class path; for who packs them. */
    public List<String> resources() {
        return libraries.stream().map(library -> source + library.file()).toList();
    }

    List<Library> libraries() {
        return libraries;
    }

    /** What the folder of these very libraries is called. */
    String folderName() {
        return fileName(name) + "-" + hash;
    }

    private static String fileName(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    }

    /** Opens what the jar has of a library. */
    InputStream open(Library library) throws IOException {
        URL entry = classPath.getResource(source + library.file());
        if (entry == null) {
            throw new LibraryUnavailableException(
                    Boolean.getBoolean(BUNDLE)
                            ? name + " is not in this bundle, which runs what was built where remat is installed"
                            : name + " is not on the class path: " + library.file() + " is missing; add " + artifact);
        }
        return entry.openStream();
    }

    /**
     * Unpacks the libraries if they are not there yet, verifies each and loads it, the first time that it is called.
     *
     * @throws LibraryUnavailableException if that is impossible here, or somebody else could have written the files
     */
    public synchronized Loaded load() {
        if (loaded.isEmpty()) {
            loaded = Optional.of(load(CacheFolder.ofProcess()));
        }
        return loaded.get();
    }

    /**
     * Whether they are loaded, for who can do without: that is tried once, and where it fails users are told why.
     *
     * @param instead what becomes of what they are for, as the end of a sentence
     * @throws LibraryUnavailableException if {@link CacheFolder#SETTING} is no absolute path
     */
    public synchronized boolean loadOr(String instead) {
        return loadOr(instead, CacheFolder.ofProcess());
    }

    /** As {@link #loadOr(String)}, from below that folder. */
    synchronized boolean loadOr(String instead, CacheFolder cache) {
        if (loaded.isEmpty() && !lacking) {
            try {
                loaded = Optional.of(load(cache));
            } catch (LibraryUnavailableException e) {
                lacking = true;
                listener.accept(e.getMessage() + "; " + instead);
            }
        }
        return loaded.isPresent();
    }

    /** Whether {@link #loadOr} has found that they cannot be loaded. */
    public synchronized boolean areLacking() {
        return lacking && loaded.isEmpty();
    }

    /** As {@link #load()}, from below that folder and each time anew. */
    Loaded load(CacheFolder cache) {
        String reason = "there is no home directory";
        if (cache.path().isPresent()) {
            Path root = cache.path().get();
            try {
                List<Path> files = LibraryFolder.below(root, this).unpack();
                return new Loaded(load(files), files.getLast().getParent(), false);
            } catch (UntrustedFolderException e) {
                throw new LibraryUnavailableException(
                        name + " is not loaded from below " + root + ", where somebody else could have written it: "
                                + e.getMessage() + "; or let " + CacheFolder.SETTING + " name a folder of your own",
                        e);
            } catch (IOException e) {
                if (cache.isChosen()) {
                    throw new LibraryUnavailableException(
                            name + " cannot be unpacked: " + FileProblem.withName(e) + "; " + CacheFolder.SETTING
                                    + " can name another folder",
                            e);
                }
                reason = FileProblem.withName(e);
            }
        }
        return loadFromTemporary(reason);
    }

    private Loaded loadFromTemporary(String reason) {
        try (TemporaryFolder folder = TemporaryFolder.create()) {
            SymbolLookup symbols = load(new LibraryFolder(folder.path(), this).unpack());
            listener.accept(name + " was unpacked to a temporary folder, as at each start (" + reason + "); "
                    + CacheFolder.SETTING + " can name a folder where it stays");
            return new Loaded(symbols, folder.path(), true);
        } catch (IOException e) {
            throw new LibraryUnavailableException(
                    name + " cannot be unpacked: " + reason + ", and " + FileProblem.withName(e) + "; let "
                            + CacheFolder.SETTING + " name a folder that you can write to",
                    e);
        }
    }

    private SymbolLookup load(List<Path> files) {
        try {
            files.forEach(file -> System.load(file.toString()));
            // Found in the process by now; its dependencies as well, by their names.
            return SymbolLookup.libraryLookup(files.getLast(), Arena.global());
        } catch (UnsatisfiedLinkError | IllegalArgumentException e) {
            throw new LibraryUnavailableException(
                    name + " cannot be loaded: " + e.getMessage() + "; if programs must not run from that folder, let "
                            + CacheFolder.SETTING + " name another",
                    e);
        }
    }
}
