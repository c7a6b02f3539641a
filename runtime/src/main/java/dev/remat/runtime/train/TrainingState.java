package dev.remat.runtime.train;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.io.Sha256;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.StoredTensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The tensors that outlive a step: parameters, optimizer state, running statistics. */
public final class TrainingState {
    private final Executable executable;
    /** By name. */
    private final SequencedMap<String, StateTensor> tensors = new LinkedHashMap<>();

    public TrainingState(Executable executable) {
        this.executable = executable;
        executable.plan().inputs().stream()
                .filter(input -> input.kind().isPersistent())
                .sorted(Comparator.comparingLong(ArenaTensor::firstRow))
                .collect(Collectors.groupingBy(ArenaTensor::whole, TreeMap::new, Collectors.toList()))
                .forEach((name, pieces) -> tensors.put(name, new StateTensor(executable, pieces)));
    }

    /** Gives every tensor its initial value. */
    public void initialize() {
        for (StateTensor tensor : tensors.values()) {
            InitialValues values = new InitialValues(
                    tensor.name(),
                    tensor.tensorType().dtype(),
                    tensor.pieces().getFirst().initializer(),
                    executable.plan().seed());
            tensor.fill(values::fill);
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
            StateTensor tensor = tensors.get(stored.name());
            if (tensor == null) {
                throw new DataException("the file has a tensor " + stored.name() + ", which the model does not have");
            }
            tensor.write(stored);
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
        for (StateTensor tensor : tensors.values()) {
            StoredTensor stored = trained.apply(tensor.name())
                    .orElseThrow(
                            () -> new DataException("the file lacks " + tensor.name() + ": " + tensor.tensorType()));
            tensor.write(stored);
        }
    }

    /** All tensors by name, each as a whole; their bytes are valid until the next step. */
    public List<StoredTensor> tensors() {
        return streams().stream().map(StateTensor::whole).toList();
    }

    /** All tensors by name, which need not be in memory; valid until the next step. */
    List<StateTensor> streams() {
        return List.copyOf(tensors.values());
    }

    /** SHA-256 over name, type and bytes of every tensor in the order of names, in hexadecimal. */
    public String hash() {
        MessageDigest digest = Sha256.digest();
        streams().forEach(tensor -> update(digest, tensor));
        return Sha256.hex(digest);
    }

    /** The same of each tensor alone, by name. */
    public SequencedMap<String, String> hashes() {
        SequencedMap<String, String> hashes = new LinkedHashMap<>();
        streams().forEach(tensor -> {
            MessageDigest digest = Sha256.digest();
            update(digest, tensor);
            hashes.put(tensor.name(), Sha256.hex(digest));
        });
        return hashes;
    }

    private static void update(MessageDigest digest, StateTensor state) {
        digest.update((state.name() + " " + state.tensorType() + "\n").getBytes(StandardCharsets.UTF_8));
        try {
            state.stream(piece -> digest.update(piece.asByteBuffer()));
        } catch (IOException e) {
            throw new UncheckedIOException("a digest takes everything", e);
        }
    }
}
