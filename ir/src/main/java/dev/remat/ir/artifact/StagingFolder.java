package dev.remat.ir.artifact;

import dev.remat.ir.io.AbandonedFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Room beside a place for what is to take it, and for what is there until then.
 *
 * <p>A run that is killed leaves its room behind; a later one for the same place removes it. So that nobody removes the
 * room of a run that is alive, on this machine or another, a run holds the lock on a file of its own from before its
 * folders exist until they are gone.
 */
final class StagingFolder implements AutoCloseable {
    private static final String FRESH = ".new";
    private static final String OLD = ".old";
    private static final String LOCK = ".lock";

    private final Path target;
    private final Path lock;
    private final FileChannel held;
    private final String run;

    private StagingFolder(Path target, Path lock, FileChannel held) {
        this.target = target;
        this.lock = lock;
        this.held = held;
        this.run = lock.getFileName().toString().replaceFirst("\\.lock$", "");
    }

    static StagingFolder beside(Path target) throws IOException {
        Path lock = Files.createTempFile(target.getParent(), prefix(target) + process() + "-", LOCK);
        FileChannel held = FileChannel.open(lock, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        StagingFolder staging = new StagingFolder(target, lock, held);
        try {
            AbandonedFiles.tryLock(held);
            Files.createDirectory(staging.fresh());
            return staging;
        } catch (IOException | RuntimeException e) {
            staging.close();
            throw e;
        }
    }

    /** Empty at first. */
    Path fresh() {
        return target.resolveSibling(run + FRESH);
    }

    /** Does not exist at first. */
    Path old() {
        return target.resolveSibling(run + OLD);
    }

    /** Removes the old, and what killed runs left: to be called once the new has its place. */
    void removeOld() throws IOException {
        delete(old());
        Pattern room = Pattern.compile("(" + Pattern.quote(prefix(target)) + "(\\d+)-\\d+)(\\.new|\\.old)");
        List<Path> siblings;
        try (Stream<Path> files = Files.list(target.getParent())) {
            siblings = files.toList();
        }
        for (Path sibling : siblings) {
            Matcher name = room.matcher(sibling.getFileName().toString());
            // Closing a second channel would release a lock that this process holds.
            if (name.matches() && !name.group(2).equals(process())) {
                removeIfAbandoned(sibling, target.resolveSibling(name.group(1) + LOCK));
            }
        }
    }

    /** What cannot be removed stays: it may belong to another user, and nothing depends on it. */
    private static void removeIfAbandoned(Path folder, Path lock) throws IOException {
        try {
            if (!Files.exists(lock, LinkOption.NOFOLLOW_LINKS)) {
                // Locks go last: its run has ended, or somebody removes it already.
                delete(folder);
                return;
            }
            if (!Files.isRegularFile(lock, LinkOption.NOFOLLOW_LINKS)) {
                return;
            }
            try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
                if (AbandonedFiles.tryLock(channel)) {
                    delete(folder);
                    Files.deleteIfExists(lock);
                }
            }
        } catch (FileSystemException e) {
            return;
        }
    }

    private static String prefix(Path target) {
        return "." + target.getFileName() + ".";
    }

    private static String process() {
        return String.valueOf(ProcessHandle.current().pid());
    }

    /** Removes what has not taken its place; the old stays if it is still there. */
    @Override
    public void close() throws IOException {
        try (held) {
            delete(fresh());
            Files.deleteIfExists(lock);
        }
    }

    private static void delete(Path folder) throws IOException {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(folder);
    }
}
