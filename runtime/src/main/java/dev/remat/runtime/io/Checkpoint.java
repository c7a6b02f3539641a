package dev.remat.runtime.io;

import dev.remat.ir.io.AtomicFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;

/**
 * A directory with the whole state of a training run: {@code state-STEP-HASH.safetensors} and {@code meta.json}, which
 * names the state file with its size and SHA-256. The state is durable before {@code meta.json} is replaced, so at
 * every moment the directory holds one complete checkpoint, the last one or the one before.
 */
public final class Checkpoint implements AutoCloseable {
    private static final String META_FILE = "meta.json";

    private final CheckpointMeta meta;
    private final SafetensorsFile state;

    private Checkpoint(CheckpointMeta meta, SafetensorsFile state) {
        this.meta = meta;
        this.state = state;
    }

    /**
     * Writes a checkpoint and drops the directory's previous one.
     *
     * @param directory created if missing
     * @param state parameters, optimizer state and running statistics
     */
    public static void save(Path directory, CheckpointMeta meta, List<StoredTensor> state) throws IOException {
        Files.createDirectories(directory);
        Path fresh = directory.resolve(
                ".state.safetensors." + ProcessHandle.current().pid() + ".tmp");
        try {
            HashedFile written = HashedFile.write(
                    fresh,
                    channel -> SafetensorsWriter.write(channel, Map.of("format", CheckpointMetaJson.FORMAT), state));
            String name = "state-" + meta.step() + "-" + written.sha256().substring(0, 12) + ".safetensors";
            Files.move(
                    fresh,
                    directory.resolve(name),
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
            AtomicFile.syncDirectory(directory);
            CheckpointMetaJson json = new CheckpointMetaJson(meta, name, written.bytes(), written.sha256());
            AtomicFile.write(directory.resolve(META_FILE), CheckpointMetaJson.print(json));
            deleteOtherStates(directory, name);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    private static void deleteOtherStates(Path directory, String kept) throws IOException {
        try (DirectoryStream<Path> states = Files.newDirectoryStream(directory, "state-*-*.safetensors")) {
            for (Path file : states) {
                if (!file.getFileName().toString().equals(kept)) {
                    Files.delete(file);
                }
            }
        }
    }

    /**
     * Opens a checkpoint after verifying version, size and hash.
     *
     * @throws CorruptFileException if it is damaged, of another format version, or not a checkpoint
     */
    public static Checkpoint open(Path directory) throws IOException {
        Path metaFile = directory.resolve(META_FILE);
        CheckpointMetaJson json;
        try {
            json = CheckpointMetaJson.read(metaFile);
        } catch (NoSuchFileException e) {
            if (!Files.isDirectory(directory)) {
                throw e;
            }
            throw new CorruptFileException(directory, "holds no checkpoint (there is no " + META_FILE + ")", e);
        }
        Path stateFile = directory.resolve(json.stateFile());
        if (!Files.isRegularFile(stateFile)) {
            throw new CorruptFileException(metaFile, "names the state file " + json.stateFile() + ", which is missing");
        }
        HashedFile found = HashedFile.read(stateFile);
        if (found.bytes() != json.stateBytes() || !found.sha256().equals(json.stateSha256())) {
            throw new CorruptFileException(
                    stateFile,
                    "its content is not what was saved (SHA-256 "
                            + found.sha256().substring(0, 12) + "… instead of "
                            + json.stateSha256().substring(0, 12)
                            + "…); go back to an older copy of the checkpoint");
        }
        return new Checkpoint(json.meta(), SafetensorsFile.open(stateFile));
    }

    public CheckpointMeta meta() {
        return meta;
    }

    /** Parameters, optimizer state and running statistics by name. */
    public SafetensorsFile state() {
        return state;
    }

    @Override
    public void close() {
        state.close();
    }
}
