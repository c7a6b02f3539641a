package dev.remat.runtime.checkpoint;

import dev.remat.ir.io.AtomicFile;
import dev.remat.ir.io.TemporaryFile;
import dev.remat.runtime.io.CorruptFileException;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StreamedTensor;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The folder that a run saves to, from its beginning to its end. No other run gets in meanwhile, and of what lies there
 * nothing is touched but the run's own checkpoint and what killed runs left.
 *
 * <p>The state is durable before {@code meta.json} is replaced, so at every moment the folder holds one complete
 * checkpoint, the last one or the one before.
 */
public final class RunFolder implements CheckpointSink, Closeable {
    /** What is to take its place in the folder, as {@link TemporaryFile} names it, and names of earlier versions. */
    private static final Pattern TEMPORARY =
            Pattern.compile("\\.(state\\.safetensors|meta\\.json)\\.[0-9]+(-[0-9]+){0,2}\\.tmp");

    /** Of a state's file. */
    static final Map<String, String> METADATA = Collections.singletonMap("format", CheckpointMetaJson.FORMAT);

    private final Path folder;
    private final HeldFolder held;

    /** The state that {@code meta.json} names, which goes when that is replaced. */
    private Optional<StateFile> current;

    private boolean saved;

    private RunFolder(Path folder, HeldFolder held, Optional<StateFile> current) {
        this.folder = folder;
        this.held = held;
        this.current = current;
    }

    /** What a run may do to a checkpoint that is there already. */
    public enum Existing {
        KEEP,
        /** The run goes on from it. */
        CONTINUE,
        OVERWRITE
    }

    /**
     * Takes a folder for a run, makes it if it is missing, and removes what killed runs left.
     *
     * @param command what the user typed, for whoever finds the folder taken
     * @throws FileSystemException if another run saves there, if it holds a checkpoint that must be kept, or if it
     *     takes no files
     */
    public static RunFolder open(Path folder, Existing existing, String command) throws IOException {
        HeldFolder held = HeldFolder.take(folder, HeldFolder.Use.SAVE, command);
        try {
            Optional<StateFile> current = current(folder, existing);
            if (held.isExclusive()) {
                sweep(folder, held.lock(), current);
            }
            return new RunFolder(folder, held, current);
        } catch (IOException | RuntimeException e) {
            try (held) {
                throw e;
            }
        }
    }

    /**
     * Removes what killed runs left in a folder, unless a run saves there or it takes no files: what a run does that
     * goes on from a checkpoint and saves elsewhere.
     */
    public static void tidy(Path folder) {
        Path lockFile = folder.resolve(HeldFolder.Use.SAVE.lockFile());
        try {
            if (Files.exists(lockFile) || !leftovers(folder).isEmpty()) {
                open(folder, Existing.CONTINUE, "resuming").close();
            }
        } catch (IOException e) {
            // Nothing depends on it, and whoever saves there next tries again.
            return;
        }
    }

    private static Optional<StateFile> current(Path folder, Existing existing) throws IOException {
        Path meta = folder.resolve(CheckpointMetaJson.FILE);
        if (!Files.exists(meta)) {
            return Optional.empty();
        }
        Optional<StateFile> state = CheckpointMetaJson.findState(meta);
        if (state.isEmpty() && existing != Existing.CONTINUE) {
            throw new FileSystemException(
                    meta.toString(), null, "is no checkpoint's and would be replaced; save to another folder");
        }
        if (existing == Existing.KEEP) {
            throw new FileSystemException(
                    folder.toString(),
                    null,
                    "holds " + describe(meta) + "; go on from it with --resume " + folder
                            + ", save to another folder, or replace it with --overwrite");
        }
        return state;
    }

    private static String describe(Path meta) throws IOException {
        try {
            CheckpointMeta found = CheckpointMetaJson.read(meta).meta();
            return "the checkpoint of " + found.model() + " after step " + found.step();
        } catch (CorruptFileException e) {
            return "a checkpoint of another version";
        }
    }

    private static void sweep(Path folder, RunLock lock, Optional<StateFile> current) throws IOException {
        for (Path file : leftovers(folder)) {
            Files.deleteIfExists(file);
        }
        for (String state : lock.leftStates()) {
            if (!current.map(StateFile::name).equals(Optional.of(state))) {
                StateFile.deleteNamed(folder, state);
            }
        }
    }

    private static List<Path> leftovers(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file ->
                            TEMPORARY.matcher(file.getFileName().toString()).matches())
                    .toList();
        }
    }

    /** As it was named. */
    public Path path() {
        return folder;
    }

    /** Whether other runs are kept away, which takes a file system that has locks. */
    public boolean isExclusive() {
        return held.isExclusive();
    }

    /** Fills a file that is to become the state, and syncs it. */
    @FunctionalInterface
    interface Filling {
        HashedFile fill(TemporaryFile fresh) throws IOException;
    }

    @Override
    public void save(CheckpointMeta meta, List<? extends StreamedTensor> state) throws IOException {
        save(
                meta,
                fresh -> HashedFile.write(fresh, folder, channel -> SafetensorsWriter.write(channel, METADATA, state)));
    }

    void save(CheckpointMeta meta, Filling filling) throws IOException {
        try (TemporaryFile fresh = TemporaryFile.beside(folder.resolve("state.safetensors"))) {
            HashedFile written = filling.fill(fresh);
            StateFile next = StateFile.of(meta.step(), written);
            List<String> own = new ArrayList<>(List.of(next.name()));
            current.ifPresent(before -> own.add(before.name()));
            held.lock().own(own);
            fresh.move(folder.resolve(next.name()));
            AtomicFile.syncDirectory(folder);
            AtomicFile.writeOwn(
                    folder.resolve(CheckpointMetaJson.FILE),
                    CheckpointMetaJson.print(new CheckpointMetaJson(meta, next)));
            replace(next);
        }
    }

    private void replace(StateFile next) throws IOException {
        Optional<StateFile> before = current;
        boolean own = saved;
        current = Optional.of(next);
        saved = true;
        if (before.isPresent() && !before.get().name().equals(next.name())) {
            if (own) {
                Files.deleteIfExists(folder.resolve(before.get().name()));
            } else {
                before.get().deleteFrom(folder);
            }
        }
    }

    /** Lets others in, and leaves nothing but the checkpoint, if one was saved. */
    @Override
    public void close() throws IOException {
        held.close();
    }
}
