package dev.remat.runtime.train;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.io.Sha256;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.StoredTensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Function;

/** The tensors that outlive a step: parameters, optimizer state, running statistics. */
public final class TrainingState {
    private static final long CHUNK_BYTES = 1 << 24;

    private final Executable executable;
    private final Map<String, ArenaTensor> tensors = new LinkedHashMap<>();

    public TrainingState(Executable executable) {
        this.executable = executable;
        executable.plan().inputs().stream()
                .filter(input -> input.kind().isPersistent())
                .sorted(Comparator.comparing(ArenaTensor::name))
                .forEach(input -> tensors.put(input.name(), input));
    }

    /** Gives every tensor its initial value. */
    public void initialize() {
        for (ArenaTensor tensor : tensors.values()) {
            try (Arena arena = Arena.ofShared()) {
                executable.write(
                        tensor.offset(),
                        InitialValues.of(
                                tensor.name(),
                                tensor.type(),
                                tensor.initializer(),
                                executable.plan().seed(),
                                arena));
            }
        }
    }

    /**
     * Takes tensors from a file; element types are converted where no integer is made of a float.
     *
     * @return names of tensors that are not given; they stay as they are
     * @throws DataException if there is a tensor that the model lacks or that has another shape
     */
    public List<String> load(List<StoredTensor> given) {
        Set<String> missing = new LinkedHashSet<>(tensors.keySet());
        for (StoredTensor stored : given) {
            ArenaTensor tensor = tensors.get(stored.name());
            if (tensor == null) {
                throw new DataException("the file has a tensor " + stored.name() + ", which the model does not have");
            }
            ArenaTensors.write(executable, tensor, stored);
            missing.remove(stored.name());
        }
        return List.copyOf(missing);
    }

    /**
     * Takes all that this plan needs of a trained model, which may have more, such as optimizer state.
     *
     * @param trained finds a tensor by name
     * @throws DataException if there is none of a name, or one of another shape
     */
    public void loadAll(Function<String, Optional<StoredTensor>> trained) {
        for (ArenaTensor tensor : tensors.values()) {
            StoredTensor stored = trained.apply(tensor.name())
                    .orElseThrow(() -> new DataException("the file lacks " + tensor.name() + ": " + tensor.type()));
            ArenaTensors.write(executable, tensor, stored);
        }
    }

    /** All tensors by name; their bytes are valid until the next step. */
    public List<StoredTensor> tensors() {
        return tensors.values().stream().map(this::stored).toList();
    }

    private StoredTensor stored(ArenaTensor tensor) {
        return ArenaTensors.read(executable, tensor.name(), tensor.type(), tensor.offset());
    }

    /** SHA-256 over name, type and bytes of every tensor in the order of names, in hexadecimal. */
    public String hash() {
        MessageDigest digest = Sha256.digest();
        tensors.values().forEach(tensor -> update(digest, tensor));
        return Sha256.hex(digest);
    }

    /** The same of each tensor alone, by name. */
    public SequencedMap<String, String> hashes() {
        SequencedMap<String, String> hashes = new LinkedHashMap<>();
        tensors.forEach((name, tensor) -> {
            MessageDigest digest = Sha256.digest();
            update(digest, tensor);
            hashes.put(name, Sha256.hex(digest));
        });
        return hashes;
    }

    private void update(MessageDigest digest, ArenaTensor tensor) {
        digest.update((tensor.name() + " " + tensor.type() + "\n").getBytes(StandardCharsets.UTF_8));
        MemorySegment data = executable.read(tensor.offset(), tensor.type().bytes());
        for (long at = 0; at < data.byteSize(); at += CHUNK_BYTES) {
            ByteBuffer chunk = data.asSlice(at, Math.min(CHUNK_BYTES, data.byteSize() - at))
                    .asByteBuffer();
            digest.update(chunk);
        }
    }
}
