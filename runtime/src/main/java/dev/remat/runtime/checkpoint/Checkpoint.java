package dev.remat.runtime.checkpoint;

import dev.remat.runtime.io.CorruptFileException;
import dev.remat.runtime.io.SafetensorsFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The whole state of a training run as a folder has it: {@code state-STEP-HASH.safetensors} and {@code meta.json},
 * which names the state file with its size and SHA-256. {@link RunFolder} writes it.
 */
public final class Checkpoint implements Closeable {
    /** A run that saves while its checkpoint is opened takes the state away; that often is no coincidence any more. */
    private static final int MOST_ATTEMPTS = 20;

    private final CheckpointMeta meta;
    private final SafetensorsFile state;
    private boolean closed;

    private Checkpoint(CheckpointMeta meta, SafetensorsFile state) {
        this.meta = meta;
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
                return open(directory, json);
            } catch (CorruptFileException | NoSuchFileException e) {
                if (attempt == MOST_ATTEMPTS || meta(directory).equals(json)) {
                    throw e;
                }
            }
        }
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

    private static Checkpoint open(Path directory, CheckpointMetaJson json) throws IOException {
        Path stateFile = directory.resolve(json.state().name());
        if (!Files.isRegularFile(stateFile)) {
            throw new CorruptFileException(
                    directory.resolve(CheckpointMetaJson.FILE),
                    "names the state file " + json.state().name() + ", which is missing");
        }
        HashedFile expected = json.state().content();
        HashedFile found = HashedFile.read(stateFile);
        if (!found.equals(expected)) {
            throw new CorruptFileException(
                    stateFile,
                    "its content is not what was saved (SHA-256 "
                            + found.sha256().substring(0, 12) + "… instead of "
                            + expected.sha256().substring(0, 12)
                            + "…); go back to an older copy of the checkpoint");
        }
        return new Checkpoint(json.meta(), SafetensorsFile.open(stateFile));
    }

    public CheckpointMeta meta() {
        return meta;
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
