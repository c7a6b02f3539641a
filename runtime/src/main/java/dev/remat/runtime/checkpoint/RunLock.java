package dev.remat.runtime.checkpoint;

import dev.remat.ir.io.AtomicFile;
import dev.remat.ir.io.FileKind;
import dev.remat.ir.io.FileProblem;
import dev.remat.runtime.checkpoint.HeldFolder.Use;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * The right to write to a run's folder: a lock on a file in it, which ends with its process. The file says who holds
 * it, and which state files are its own, so that the next run removes what a killed one left.
 *
 * <p>The file is removed before the lock is released. Who locks a file that was removed meanwhile finds that the folder
 * has another or none, and tries again.
 */
final class RunLock implements AutoCloseable {
    private static final String TITLE = "remat run";
    private static final String STATE = "state ";
    private static final int MOST_ATTEMPTS = 1000;
    private static final int MOST_BYTES = 1 << 16;
    private static final int MOST_COMMAND = 1000;
    private static final int HOLDER_LINES = 6;
    private static final int MOST_WAITS = 100;
    private static final long WAIT_NANOS = 20_000_000;

    /** Locks that this process holds: closing another channel on such a file would release it. */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path file;
    private final FileChannel channel;
    /** Stays open, too, for the same reason. */
    private final FileChannel reader;

    private final List<String> holder;
    private final List<String> leftStates;
    private final boolean exclusive;

    private RunLock(
            Path file,
            FileChannel channel,
            FileChannel reader,
            List<String> holder,
            List<String> leftStates,
            boolean exclusive) {
        this.file = file;
        this.channel = channel;
        this.reader = reader;
        this.holder = holder;
        this.leftStates = List.copyOf(leftStates);
        this.exclusive = exclusive;
    }

    /**
     * Takes the lock of a folder that exists.
     *
     * @param command what the user typed, for whoever finds the folder taken
     * @throws FileSystemException if another run holds it
     */
    static RunLock take(Path folder, Use use, String command) throws IOException {
        Path file = folder.toRealPath().resolve(use.lockFile());
        if (!HELD.add(file)) {
            throw taken(folder, use, "another run of this process " + use.verb() + "s here");
        }
        try {
            for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
                Optional<RunLock> lock = attempt(folder, file, use, command);
                if (lock.isPresent()) {
                    return lock.get();
                }
            }
            throw taken(folder, use, "many runs try to " + use.verb() + " here at once");
        } catch (IOException | RuntimeException e) {
            HELD.remove(file);
            throw e;
        }
    }

    /** Empty if the file was removed between opening and locking it. */
    private static Optional<RunLock> attempt(Path folder, Path file, Use use, String command) throws IOException {
        checkKind(file);
        FileChannel channel = FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS);
        boolean kept = false;
        try {
            Optional<Boolean> locked = tryLock(channel);
            List<String> before = lines(channel);
            if (!before.isEmpty() && !before.getFirst().startsWith(TITLE)) {
                throw new FileSystemException(file.toString(), null, "is no lock of remat; move it away");
            }
            if (locked.isPresent() && !locked.get()) {
                throw taken(folder, use, describe(use, holder(channel)));
            }
            List<String> holder = holder(command);
            write(file, channel, holder, states(before));
            Optional<FileChannel> reader = open(file);
            if (reader.isEmpty()) {
                return Optional.empty();
            }
            kept = lines(reader.get()).containsAll(holder);
            if (!kept) {
                reader.get().close();
                return Optional.empty();
            }
            return Optional.of(new RunLock(file, channel, reader.get(), holder, states(before), locked.isPresent()));
        } finally {
            if (!kept) {
                channel.close();
            }
        }
    }

    /** A pipe would be waited for, and a link could lead to a file of somebody else's choice. */
    private static void checkKind(Path file) throws IOException {
        FileKind kind = FileKind.of(file, LinkOption.NOFOLLOW_LINKS).orElse(FileKind.FILE);
        if (kind != FileKind.FILE) {
            throw new FileSystemException(
                    file.toString(), null, "is " + kind.inWords() + ", no lock of remat; move it away");
        }
    }

    private static Optional<FileChannel> open(Path file) throws IOException {
        try {
            return Optional.of(FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Whether nobody else holds it; empty if the file system has no locks. */
    private static Optional<Boolean> tryLock(FileChannel channel) {
        try {
            FileLock lock = channel.tryLock();
            return Optional.of(lock != null);
        } catch (OverlappingFileLockException e) {
            return Optional.of(false);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static FileSystemException taken(Path folder, Use use, String by) {
        return new FileSystemException(
                folder.toString(), null, by + "; wait until it has ended, or " + use.verb() + " to another folder");
    }

    /** What the holder has written; it may have locked the file just now. */
    private static List<String> holder(FileChannel channel) throws IOException {
        List<String> lines = lines(channel);
        for (int wait = 0; wait < MOST_WAITS && lines.size() < HOLDER_LINES; wait++) {
            LockSupport.parkNanos(WAIT_NANOS);
            lines = lines(channel);
        }
        return lines;
    }

    /** What a refused run tells of the one that holds the lock. */
    private static String describe(Use use, List<String> lines) {
        return "another run " + use.verb() + "s here"
                + (lines.size() < HOLDER_LINES
                        ? ""
                        : ": " + lines.get(3) + ", process " + lines.get(1) + " on " + lines.get(2) + ", since "
                                + lines.get(4));
    }

    /** The last line is no other run's. */
    private static List<String> holder(String command) throws IOException {
        String line = command.replaceAll("\\p{Cntrl}", " ");
        return List.of(
                TITLE,
                String.valueOf(ProcessHandle.current().pid()),
                host(),
                line.substring(0, Math.min(line.length(), MOST_COMMAND)),
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                UUID.randomUUID().toString());
    }

    private static String host() throws IOException {
        Path file = Path.of("/proc/sys/kernel/hostname");
        return Files.isReadable(file) ? Files.readString(file).strip() : "this machine";
    }

    private static List<String> lines(FileChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(MOST_BYTES);
        long at = 0;
        while (buffer.hasRemaining()) {
            int read = channel.read(buffer, at);
            if (read < 0) {
                break;
            }
            at += read;
        }
        return new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8)
                .lines()
                .toList();
    }

    private static List<String> states(List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith(STATE))
                .map(line -> line.substring(STATE.length()))
                .filter(StateFile::isName)
                .toList();
    }

    /** In one write, so that a kill leaves the old text or the new, with what the old one has more behind it. */
    private static void write(Path file, FileChannel channel, List<String> holder, Collection<String> states)
            throws IOException {
        List<String> lines = new ArrayList<>(holder);
        states.forEach(name -> lines.add(STATE + name));
        byte[] bytes = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        try {
            while (buffer.hasRemaining()) {
                channel.write(buffer, buffer.position());
            }
            channel.truncate(bytes.length);
        } catch (IOException e) {
            throw FileProblem.named(file, e);
        }
    }

    /** Whether others are kept away; else the file system has no locks. */
    boolean isExclusive() {
        return exclusive;
    }

    /** State files that a killed run was about to write or remove. */
    List<String> leftStates() {
        return leftStates;
    }

    /** Says which state files are the run's own. */
    void own(Collection<String> states) throws IOException {
        write(file, channel, holder, states);
    }

    @Override
    public void close() throws IOException {
        try (channel;
                reader) {
            Files.deleteIfExists(file);
            AtomicFile.syncDirectory(file.getParent());
        } finally {
            HELD.remove(file);
        }
    }
}
