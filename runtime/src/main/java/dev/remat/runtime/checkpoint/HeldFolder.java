package dev.remat.runtime.checkpoint;

import dev.remat.ir.io.LinkTarget;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A folder that one run at a time writes to, made if it is missing, and removed again if nothing came into it. */
public final class HeldFolder implements AutoCloseable {
    private static final int MOST_ATTEMPTS = 100;

    /** What a folder is held for. One may be held for both, by two runs as well. */
    public enum Use {
        SAVE(".remat-run.lock", "save"),
        LOG(".remat-log.lock", "log");

        private final String lockFile;
        private final String verb;

        Use(String lockFile, String verb) {
            this.lockFile = lockFile;
            this.verb = verb;
        }

        /** Name of the file in the folder that is locked. */
        public String lockFile() {
            return lockFile;
        }

        /** What the run does there, in words. */
        String verb() {
            return verb;
        }
    }

    private final RunLock lock;
    /** Folders that were made for the run, the innermost last. */
    private final List<Path> made;

    private HeldFolder(RunLock lock, List<Path> made) {
        this.lock = lock;
        this.made = made;
    }

    /**
     * Takes a folder.
     *
     * @param command what the user typed, for whoever finds the folder taken
     * @throws FileSystemException if another run holds it for the same use, or if it takes no files
     */
    public static HeldFolder take(Path folder, Use use, String command) throws IOException {
        List<Path> made = new ArrayList<>();
        return new HeldFolder(lock(folder, made, use, command), made);
    }

    private static RunLock lock(Path folder, List<Path> made, Use use, String command) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                make(folder.toAbsolutePath(), made);
                return RunLock.take(folder, use, command);
            } catch (NoSuchFileException e) {
                // A run that had made the folder and left nothing has removed it.
                if (attempt == MOST_ATTEMPTS) {
                    throw e;
                }
            } catch (IOException | RuntimeException e) {
                remove(made);
                throw e;
            }
        }
    }

    private static void make(Path folder, List<Path> made) throws IOException {
        if (Files.isDirectory(folder)) {
            return;
        }
        if (Files.exists(folder)) {
            throw new FileSystemException(folder.toString(), null, "is a file, not a folder");
        }
        Path place = LinkTarget.of(folder);
        make(place.getParent(), made);
        Files.createDirectories(place);
        made.add(place);
    }

    private static void remove(List<Path> made) throws IOException {
        for (Path folder : made.reversed()) {
            try {
                Files.deleteIfExists(folder);
            } catch (DirectoryNotEmptyException e) {
                return;
            }
        }
    }

    RunLock lock() {
        return lock;
    }

    /** Whether other runs are kept away, which takes a file system that has locks. */
    public boolean isExclusive() {
        return lock.isExclusive();
    }

    /** Lets others in. */
    @Override
    public void close() throws IOException {
        try {
            lock.close();
        } finally {
            remove(made);
        }
    }
}
