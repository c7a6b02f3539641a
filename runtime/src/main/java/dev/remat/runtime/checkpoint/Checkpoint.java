package dev.remat.runtime.checkpoint;

import dev.remat.ir.diagnostic.Count;
import dev.remat.runtime.io.CorruptFileException;
import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.process.ProcessGroup;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The whole state of a training run as a folder has it: {@code state-STEP-HASH.safetensors} and {@code meta.json},
 * which names the state file with its size and SHA-256. {@link RunFolder} writes it.
 */
public final class Checkpoint implements Closeable {
    /** A run that saves while its checkpoint is opened takes the state away; that often is no coincidence any more. */
    private static final int MOST_ATTEMPTS = 20;

    private final CheckpointMeta meta;
    private final String name;
    private final SafetensorsFile state;
    private boolean closed;

    private Checkpoint(CheckpointMeta meta, String name, SafetensorsFile state) {
        this.meta = meta;
        this.name = name;
        this.state = state;
    }

    /**
     * Opens a checkpoint after verifying version, size and hash.
     *
     * @throws CorruptFileException if it is damaged, of another format version, or not a checkpoint
     */
    public static Checkpoint open(Path directory) throws IOException {
        for (int attempt = 1; ; attempt++) {
            CheckpointMetaJson json = meta(directory);
            try {
                return open(directory, json, HashedFile::read);
            } catch (CorruptFileException | NoSuchFileException e) {
                if (attempt == MOST_ATTEMPTS || meta(directory).equals(json)) {
                    throw e;
                }
            }
        }
    }

    /**
     * The same for all ranks of a group at a time, which verify it together.
     *
     * @throws CorruptFileException as for one, on each rank that sees what is damaged
     */
    public static Checkpoint open(Path directory, ProcessGroup group) throws IOException {
        return open(directory, meta(directory), (file, blockBytes) -> HashTogether.run(group, file, blockBytes));
    }

    /** How its file is hashed. */
    @FunctionalInterface
    private interface Hashing {
        HashedFile read(Path file, long blockBytes) throws IOException;
    }

    /** What a folder says of its checkpoint; empty if it holds none. */
    public static Optional<String> description(Path directory) throws IOException {
        Path file = directory.resolve(CheckpointMetaJson.FILE);
        return Files.exists(file) ? Optional.of(Files.readString(file)) : Optional.empty();
    }

    private static CheckpointMetaJson meta(Path directory) throws IOException {
        try {
            return CheckpointMetaJson.read(directory.resolve(CheckpointMetaJson.FILE));
        } catch (NoSuchFileException e) {
            if (!Files.isDirectory(directory)) {
                throw e;
            }
            throw new CorruptFileException(
                    directory, "holds no checkpoint (there is no " + CheckpointMetaJson.FILE + ")", e);
        }
    }

    private static Checkpoint open(Path directory, CheckpointMetaJson json, Hashing hashing) throws IOException {
        Path stateFile = directory.resolve(json.state().name());
        if (!Files.isRegularFile(stateFile)) {
            throw new CorruptFileException(
                    directory.resolve(CheckpointMetaJson.FILE),
                    "names the state file " + json.state().name() + ", which is missing");
        }
        HashedFile expected = json.state().content();
        HashedFile found = hashing.read(stateFile, expected.blockBytes());
        if (found.bytes() != expected.bytes()) {
            long cut = Math.min(found.bytes(), expected.bytes() - 1);
            throw damaged(
                    stateFile,
                    "has " + Count.bytes(found.bytes()) + " instead of " + Count.bytes(expected.bytes()),
                    SafetensorsFile.tensorsWithin(stateFile, expected.bytes(), cut, expected.bytes()));
        }
        OptionalInt block = expected.differing(found);
        if (block.isPresent()) {
            long begin = block.getAsInt() * expected.blockBytes();
            long end = begin + Math.min(expected.blockBytes(), expected.bytes() - begin);
            throw damaged(
                    stateFile,
                    "block " + (block.getAsInt() + 1) + " of "
                            + expected.blocks().size() + ", bytes " + begin + " to " + (end - 1)
                            + ", is not what was saved",
                    SafetensorsFile.tensorsWithin(stateFile, expected.bytes(), begin, end));
        }
        return new Checkpoint(json.meta(), json.state().name(), SafetensorsFile.open(stateFile));
    }

    /** @param tensors that it concerns, as far as the file still tells */
    private static CorruptFileException damaged(Path stateFile, String how, List<String> tensors) {
        String concerned = tensors.isEmpty() ? "" : ", which concerns " + Count.some(tensors);
        return new CorruptFileException(stateFile, how + concerned + "; go back to an older copy of the checkpoint");
    }

    public CheckpointMeta meta() {
        return meta;
    }

    /** Of the state's file, which tells it by step and content. */
    public String name() {
        return name;
    }

    /** Parameters, optimizer state and running statistics by name; accessible until this is closed. */
    public SafetensorsFile state() {
        return state;
    }

    /** Lets go of the state's file; a second call does nothing. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            state.close();
        }
    }
}
