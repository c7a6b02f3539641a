package dev.remat.codegen.cuda.nvrtc;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/**
 * Folders that only this user can write to. What lies in them is executed later, here or on a GPU, so nobody else may
 * have put it there.
 */
public final class PrivateFolder {
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> FOREIGN_WRITES =
            EnumSet.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);
    /** Belongs to whom this process runs as. */
    private static final Path OWN_PROCESS = Path.of("/proc/self");

    private PrivateFolder() {}

    /** Where remat keeps what can be made again: $REMAT_CACHE_DIR, else $XDG_CACHE_HOME/remat, else ~/.cache/remat. */
    public static Path cache() {
        String chosen = environment("REMAT_CACHE_DIR");
        if (!chosen.isEmpty()) {
            return Path.of(chosen).toAbsolutePath();
        }
        Path shared = Path.of(environment("XDG_CACHE_HOME"));
        if (shared.isAbsolute()) {
            return shared.resolve("remat");
        }
        String home = environment("HOME").isEmpty() ? System.getProperty("user.home") : environment("HOME");
        return Path.of(home, ".cache", "remat").toAbsolutePath();
    }

    private static String environment(String name) {
        String value = System.getenv(name);
        return value == null ? "" : value;
    }

    /**
     * Creates the folder if it is missing, and its parents.
     *
     * @throws FileSystemException if it belongs to somebody else or others may write to it
     */
    public static Path create(Path folder) throws IOException {
        Files.createDirectories(folder.toAbsolutePath().getParent());
        try {
            return Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        } catch (FileAlreadyExistsException e) {
            return check(folder);
        }
    }

    private static Path check(Path folder) throws IOException {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileSystemException(folder.toString(), null, "is no folder");
        }
        if (!Files.getAttribute(folder, "unix:uid").equals(Files.getAttribute(OWN_PROCESS, "unix:uid"))) {
            throw new FileSystemException(
                    folder.toString(),
                    null,
                    "belongs to " + Files.getOwner(folder).getName());
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(folder);
        permissions.retainAll(FOREIGN_WRITES);
        if (!permissions.isEmpty()) {
            throw new FileSystemException(folder.toString(), null, "others may write to it (chmod 700 helps)");
        }
        return folder;
    }
}
