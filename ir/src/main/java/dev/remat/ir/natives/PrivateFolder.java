package dev.remat.ir.natives;

import dev.remat.ir.natives.FolderRights.Folder;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Folders that nobody but this user and root can write to or replace. What lies in them is executed later, here or on a
 * GPU, so nobody else may have put it there.
 */
public final class PrivateFolder {
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private PrivateFolder() {}

    /**
     * Creates the folder and its parents if they are missing, so that nobody else may enter them.
     *
     * @return the folder without links on the way to it
     * @throws UntrustedFolderException if it or a folder around it belongs to somebody else, or others may write to it
     * @throws FileSystemException if it cannot be created, or is something else
     */
    public static Path create(Path folder) throws IOException {
        createParents(folder.toAbsolutePath().getParent());
        try {
            Files.createDirectory(folder, OWNER_ONLY);
        } catch (FileAlreadyExistsException e) {
            // It is looked at like any other.
        }
        return check(folder);
    }

    /** Parents are made one by one: {@link Files#createDirectories} fails at a link that leads to a folder. */
    private static void createParents(Path folder) throws IOException {
        if (folder == null || Files.isDirectory(folder)) {
            return;
        }
        createParents(folder.getParent());
        try {
            Files.createDirectory(folder, OWNER_ONLY);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(folder)) {
                throw new FileSystemException(folder.toString(), null, "is no folder");
            }
        }
    }

    /**
     * Looks at a folder that is there.
     *
     * @return the folder without links on the way to it
     * @throws UntrustedFolderException if somebody else could have written what lies there
     */
    static Path check(Path folder) throws IOException {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileSystemException(folder.toString(), null, "is no folder");
        }
        Path real = folder.toRealPath();
        FolderRights rights = FolderRights.ofProcess();
        demand(rights.trust(Folder.of(real)), real, rights);
        for (Path parent = real.getParent(); parent != null; parent = parent.getParent()) {
            demand(rights.trustAround(Folder.of(parent)), parent, rights);
        }
        return real;
    }

    private static void demand(boolean isTrusted, Path folder, FolderRights rights) throws IOException {
        if (!isTrusted) {
            throw new UntrustedFolderException(
                    folder,
                    rights.owns(Folder.of(folder))
                            ? "others may write to it (chmod go-w helps)"
                            : "belongs to " + Files.getOwner(folder).getName());
        }
    }
}
