package dev.remat.ir.natives;

import dev.remat.ir.io.AtomicFile;
import dev.remat.ir.io.Sha256;
import dev.remat.ir.natives.FolderRights.Folder;
import dev.remat.ir.natives.NativeLibraries.Library;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

/**
 * Where some libraries are unpacked. Each is looked at before each loading: a file, not a link, that nobody else can
 * write to, with the content that the list tells. What is missing or differs is unpacked anew, beside and then renamed;
 * so it has never been anybody else's, not even as an open file.
 */
final class LibraryFolder {
    private static final String FOLDER = "natives";
    private static final int CHUNK_BYTES = 1 << 16;

    private final Path folder;
    private final NativeLibraries libraries;

    /** @param folder for these libraries alone */
    LibraryFolder(Path folder, NativeLibraries libraries) {
        this.folder = folder;
        this.libraries = libraries;
    }

    /** Where the libraries are kept from one process to the next. */
    static LibraryFolder below(Path cache, NativeLibraries libraries) {
        return new LibraryFolder(cache.resolve(FOLDER).resolve(libraries.folderName()), libraries);
    }

    /**
     * Unpacks what is missing or damaged, once even if several processes ask at a time.
     *
     * @return where the libraries are, in the order in which they are to be loaded
     * @throws UntrustedFolderException if somebody else could have written there
     * @throws IOException if there is no room, or no right to write
     */
    List<Path> unpack() throws IOException {
        Path own = PrivateFolder.create(folder);
        List<Path> files = new ArrayList<>();
        boolean isWhole = true;
        for (Library library : libraries.libraries()) {
            Path file = own.resolve(library.file());
            files.add(file);
            isWhole = isWhole && isWhole(file, library);
        }
        if (!isWhole) {
            unpackInto(own);
        }
        return files;
    }

    private void unpackInto(Path own) throws IOException {
        // A file lock keeps processes apart, and fails between threads of one.
        synchronized (LibraryFolder.class) {
            try (FileChannel lock = FileChannel.open(
                    own.resolve("lock"),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE,
                    LinkOption.NOFOLLOW_LINKS)) {
                lock.lock();
                deleteLeftovers(own);
                for (Library library : libraries.libraries()) {
                    Path file = own.resolve(library.file());
                    if (!isWhole(file, library)) {
                        AtomicFile.write(file, target -> copy(library, target));
                        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
                        demandWhole(file, library);
                    }
                }
            }
        }
    }

    /** Deletes what a process that was killed while it unpacked has left; the lock says that none is unpacking now. */
    private static void deleteLeftovers(Path own) throws IOException {
        try (DirectoryStream<Path> leftovers = Files.newDirectoryStream(own, ".*.tmp")) {
            for (Path leftover : leftovers) {
                Files.delete(leftover);
            }
        }
    }

    private void copy(Library library, FileChannel target) throws IOException {
        try (InputStream in = libraries.open(library)) {
            byte[] chunk = new byte[CHUNK_BYTES];
            for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                ByteBuffer buffer = ByteBuffer.wrap(chunk, 0, read);
                while (buffer.hasRemaining()) {
                    target.write(buffer);
                }
            }
        }
    }

    private void demandWhole(Path file, Library library) throws IOException {
        if (!isWhole(file, library)) {
            throw new LibraryUnavailableException(libraries.name() + " on the class path is not the one that remat was"
                    + " built for: " + library.file() + " differs; build remat anew");
        }
    }

    /** @throws FileSystemException if something is there that is no file */
    private static boolean isWhole(Path file, Library library) throws IOException {
        try {
            if (!Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .isRegularFile()) {
                throw new UntrustedFolderException(file, "is no file; delete it");
            }
        } catch (NoSuchFileException e) {
            return false;
        }
        return FolderRights.ofProcess().trust(Folder.of(file)) && hash(file).equals(library.sha256());
    }

    private static String hash(Path file) throws IOException {
        MessageDigest digest = Sha256.digest();
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            byte[] chunk = new byte[CHUNK_BYTES];
            for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                digest.update(chunk, 0, read);
            }
        }
        return Sha256.hex(digest);
    }
}
