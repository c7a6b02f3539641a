package dev.remat.ir.artifact;

import dev.remat.ir.io.AtomicFile;
import dev.remat.ir.io.LinkTarget;
import dev.remat.ir.io.WritableFolder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Puts a folder in the place of another that holds an artifact, or of none. The new one is complete and synced before
 * it takes its name; between the renames of old and new nobody finds half an artifact, only none.
 */
final class FolderReplacement {
    private static final Pattern KNOWN =
            Pattern.compile("(manifest|plan|run|recipe|sequence|costs)\\.json|source-\\d+\\.model|kernels\\.cu"
                    + "|(launches\\.\\w+\\.json)|(kernels\\.\\w+\\.cubin)|step\\.(h|cc)");
    private static final int FORMAT_WITHIN_BYTES = 256;

    private FolderReplacement() {}

    /** Fills an empty folder with files. */
    interface Filling {
        void fill(Path folder) throws IOException;
    }

    static void replace(Path place, Filling filling) throws IOException {
        Path target = target(place);
        checkReplaceable(target);
        Path parent = target.getParent();
        Files.createDirectories(parent);
        try (StagingFolder staging = StagingFolder.beside(target)) {
            filling.fill(staging.fresh());
            AtomicFile.syncDirectory(staging.fresh());
            exchange(target, staging.fresh(), staging.old());
            AtomicFile.syncDirectory(parent);
            staging.removeOld();
        }
    }

    private static void exchange(Path target, Path fresh, Path old) throws IOException {
        boolean replaces = Files.exists(target);
        if (replaces) {
            Files.move(target, old, StandardCopyOption.ATOMIC_MOVE);
        }
        try {
            Files.move(fresh, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            if (replaces) {
                Files.move(old, target, StandardCopyOption.ATOMIC_MOVE);
            }
            throw e;
        }
    }

    /** Fails as {@link #replace} would, as far as that can be told before the files are there. */
    static void check(Path place) throws IOException {
        checkReplaceable(place);
        WritableFolder.check(target(place).getParent());
    }

    private static Path target(Path place) throws IOException {
        return Files.exists(place)
                ? place.toRealPath()
                : LinkTarget.of(place.toAbsolutePath().normalize());
    }

    /** @throws FileAlreadyExistsException if there is something that is neither an artifact nor an empty folder */
    private static void checkReplaceable(Path place) throws IOException {
        if (!Files.exists(place)) {
            return;
        }
        if (!Files.isDirectory(place)) {
            throw new FileAlreadyExistsException(place.toString(), null, "is a file; an artifact is a folder");
        }
        List<String> names;
        try (Stream<Path> files = Files.list(place)) {
            names = files.map(file -> file.getFileName().toString()).sorted().toList();
        }
        for (String name : names) {
            if (!KNOWN.matcher(name).matches()) {
                throw new FileAlreadyExistsException(
                        place.toString(),
                        null,
                        "holds " + name + ", which belongs to no artifact, and is not replaced; choose another folder");
            }
        }
        if (!names.isEmpty() && !isArtifact(place)) {
            throw new FileAlreadyExistsException(
                    place.toString(), null, "is not an artifact and is not replaced; choose another folder");
        }
    }

    private static boolean isArtifact(Path folder) throws IOException {
        Path manifest = folder.resolve(ArtifactFile.MANIFEST);
        if (!Files.isRegularFile(manifest)) {
            return false;
        }
        try (InputStream in = Files.newInputStream(manifest)) {
            String begin = new String(in.readNBytes(FORMAT_WITHIN_BYTES), StandardCharsets.UTF_8);
            return begin.contains("\"" + Manifest.FORMAT);
        }
    }
}
