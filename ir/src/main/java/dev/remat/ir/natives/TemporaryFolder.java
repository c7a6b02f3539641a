package dev.remat.ir.natives;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A new folder for this user alone, below that for temporary files; goes when closed, or when the process is ended. */
final class TemporaryFolder implements AutoCloseable {
    private static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));

    private final Path path;
    private final Thread atExit = new Thread(this::deleteQuietly, "temporary folder");

    private TemporaryFolder(Path path) {
        this.path = path;
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /**
     * Of a name that nobody can guess, which did not exist.
     *
     * @throws UntrustedFolderException if somebody else could replace it
     */
    static TemporaryFolder create() throws IOException {
        if (!Files.isDirectory(TEMPORARY)) {
            throw new FileSystemException(TEMPORARY.toString(), null, "is no folder for temporary files");
        }
        TemporaryFolder folder = new TemporaryFolder(Files.createTempDirectory(TEMPORARY, "remat-"));
        try {
            PrivateFolder.check(folder.path);
            return folder;
        } catch (IOException e) {
            folder.close();
            throw e;
        }
    }

    Path path() {
        return path;
    }

    private void deleteQuietly() {
        try {
            delete();
        } catch (IOException e) {
            // The process ends; what is left lies where the system clears up.
        }
    }

    private void delete() throws IOException {
        if (!Files.exists(path)) {
            return;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(path);
    }

    @Override
    public void close() throws IOException {
        delete();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // The process is ending, and the hook finds nothing.
        }
    }
}
