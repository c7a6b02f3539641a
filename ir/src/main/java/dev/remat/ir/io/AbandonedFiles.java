package dev.remat.ir.io;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What {@link TemporaryFile} made and whose writer was killed: named {@code .NAME.PROCESS-THREAD.tmp} or
 * {@code .NAME.PROCESS-THREAD-ATTEMPT.tmp}, of a process that this machine does not have, and not locked, as a writer
 * on another machine or in another container has them.
 */
public final class AbandonedFiles {
    private AbandonedFiles() {}

    /** What the names of temporary files for {@code target} begin with. */
    static String prefix(Path target) {
        return "." + target.getFileName() + ".";
    }

    /** Tells this thread's temporary files from those of all others. */
    static String writer(int attempt) {
        return ProcessHandle.current().pid() + "-" + Thread.currentThread().threadId()
                + (attempt == 0 ? "" : "-" + attempt);
    }

    /** Marks a temporary file as being written until the channel is closed, where the file system has locks. */
    static void claim(FileChannel channel) {
        tryLock(channel);
    }

    /** Removes those that were to become {@code target}; what cannot be removed stays, for nothing depends on it. */
    static void removeBeside(Path target) {
        remove(target.getParent(), Pattern.quote(prefix(target)));
    }

    /** Removes all that were to become files of {@code folder}, likewise. */
    public static void removeIn(Path folder) {
        remove(folder, "\\..+\\.");
    }

    private static void remove(Path folder, String prefix) {
        Pattern name = Pattern.compile(prefix + "([0-9]{1,18})-[0-9]+(-[0-9]+)?\\.tmp");
        List<Path> siblings;
        try (Stream<Path> files = Files.list(folder)) {
            siblings = files.toList();
        } catch (IOException e) {
            return;
        }
        for (Path sibling : siblings) {
            Matcher matcher = name.matcher(sibling.getFileName().toString());
            if (matcher.matches()
                    && ProcessHandle.of(Long.parseLong(matcher.group(1))).isEmpty()) {
                remove(sibling);
            }
        }
    }

    /** Unless it is locked, or no file: nobody made a link or a pipe of such a name who was about to write a file. */
    static void remove(Path file) {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            if (tryLock(channel)) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            return;
        }
    }

    /**
     * Takes the lock of a file, which lasts until the channel is closed.
     *
     * @return false if another has it, or if the file system has no locks; then nobody can tell what is abandoned
     */
    public static boolean tryLock(FileChannel channel) {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException | IOException e) {
            return false;
        }
    }
}
