package dev.remat.runtime.train;

import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.ShareOf;
import dev.remat.ir.io.Sha256;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StreamedTensor.PlacedSink;
import dev.remat.runtime.io.StreamedTensor.Sink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The tensors that outlive a step: parameters, optimizer state, running statistics. */
public final class TrainingState {
    private final Executable executable;
    /** By name. */
    private final SequencedMap<String, StateTensor> tensors = new TreeMap<>();
    /** Of an artifact that was built under former names, those of today. */
    private final Map<String, StateTensor> byNameToday = new HashMap<>();

    public TrainingState(Executable executable) {
        this(executable, executable);
    }

    /**
     * The state as one of several ranks sees it: what is whole as this one has it, with what all share.
     *
     * @param executable on all ranks
     */
    public static TrainingState seenBy(int rank, Executable executable) {
        return new TrainingState(executable.ranks().get(rank), executable);
    }

    /**
     * @param executable has what is whole
     * @param all has ranks, which have their shares
     */
    private TrainingState(Executable executable, Executable all) {
        this.executable = executable;
        pieces(executable.plan()).forEach(pieces -> find(pieces, all));
        tensors.forEach((name, tensor) -> byNameToday.put(FormerNames.today(name), tensor));
    }

    private void find(List<ArenaTensor> pieces, Executable all) {
        Optional<ShareOf> share = pieces.getFirst().share();
        Stream<StateTensor> found = share.isEmpty()
                ? Stream.of(StateTensor.of(executable, pieces))
                : share.get().parts().stream().map(part -> StateTensor.shared(all.ranks(), pieces, part));
        found.forEach(tensor -> tensors.put(tensor.name(), tensor));
    }

    /** Gives every tensor its initial value; zeros to what fills shares up. */
    public void initialize() {
        executable.plan().inputs().stream()
                .filter(input -> input.share().isPresent())
                .forEach(share -> ArenaTensors.fill(executable, share, (_, piece) -> piece.fill((byte) 0)));
        for (StateTensor tensor : tensors.values()) {
            InitialValues values = new InitialValues(
                    tensor.name(),
                    tensor.tensorType().dtype(),
                    tensor.initializer(),
                    executable.plan().seed());
            tensor.fill(values::fill);
        }
    }

    /**
     * Takes tensors from a file; element types are converted where no integer is made of a float. Names that optimizer
     * state once had are understood, and counters of batches passed over.
     *
     * @return what is not given; it stays as it is
     * @throws DataException naming all tensors that the model lacks or that have another shape; nothing is taken then
     */
    public MissingTensors load(List<StoredTensor> given) {
        SequencedMap<StateTensor, StoredTensor> taken = new LinkedHashMap<>();
        List<String> unknown = new ArrayList<>();
        for (StoredTensor stored : given) {
            Optional<StateTensor> tensor = find(stored.name());
            tensor.ifPresent(found -> taken.put(found, stored));
            if (tensor.isEmpty() && !BatchCounters.isOf(stored.name(), tensors::containsKey)) {
                unknown.add(stored.name());
            }
        }
        if (!unknown.isEmpty()) {
            throw new DataException("the file has " + (unknown.size() == 1 ? "a tensor " : "tensors ")
                    + Count.some(unknown) + ", which the model does not have");
        }
        take(taken);
        return missing(taken.sequencedKeySet());
    }

    /** By its name, or the one that it had or has elsewhere. */
    private Optional<StateTensor> find(String name) {
        return Optional.ofNullable(tensors.get(name))
                .or(() -> Optional.ofNullable(byNameToday.get(FormerNames.today(name))));
    }

    /** Takes all or, where one does not fit, none. */
    private static void take(Map<StateTensor, StoredTensor> tensors) {
        List<String> misfits = new ArrayList<>();
        tensors.forEach((tensor, stored) -> stored.misfit(tensor.tensorType()).ifPresent(misfits::add));
        refuse(misfits);
        tensors.forEach(StateTensor::write);
    }

    private static void refuse(List<String> misfits) {
        if (!misfits.isEmpty()) {
            throw new DataException("the file has " + String.join("; ", misfits));
        }
    }

    /**
     * Refuses what does not fit a plan, before memory is taken and filled for it.
     *
     * @throws DataException naming all tensors that have another shape
     */
    public static void demandFit(ExecutionPlan plan, List<StoredTensor> given) {
        Map<String, TensorType> types = new HashMap<>();
        for (List<ArenaTensor> pieces : pieces(plan)) {
            Optional<ShareOf> share = pieces.getFirst().share();
            share.ifPresent(all -> all.parts().forEach(part -> types.put(part.tensor(), part.type())));
            if (share.isEmpty()) {
                types.put(pieces.getFirst().whole(), StateTensor.whole(pieces));
            }
        }
        refuse(given.stream()
                .flatMap(stored -> Optional.ofNullable(types.get(stored.name())).flatMap(stored::misfit).stream())
                .toList());
    }

    /** Of each tensor, whole or shared. */
    private static Collection<List<ArenaTensor>> pieces(ExecutionPlan plan) {
        return plan.inputs().stream()
                .filter(input -> input.kind().isPersistent())
                .sorted(Comparator.comparingLong(ArenaTensor::firstRow))
                .collect(Collectors.groupingBy(ArenaTensor::whole, TreeMap::new, Collectors.toList()))
                .values();
    }

    private MissingTensors missing(SequencedSet<StateTensor> given) {
        List<StateTensor> missing = tensors.values().stream()
                .filter(tensor -> !given.contains(tensor))
                .toList();
        return new MissingTensors(
                names(missing, tensor -> tensor.kind() == InputKind.PARAMETER),
                names(missing, tensor -> tensor.kind() != InputKind.PARAMETER && !tensor.isOfOptimizer()),
                names(missing, StateTensor::isOfOptimizer),
                given.stream().noneMatch(StateTensor::isOfOptimizer));
    }

    private static List<String> names(List<StateTensor> tensors, Predicate<StateTensor> of) {
        return tensors.stream().filter(of).map(StateTensor::name).toList();
    }

    /**
     * Takes all that this plan needs of a trained model, which may have more, such as optimizer state.
     *
     * @param trained finds a tensor by name
     * @throws DataException if there is none of a name, or naming all that have another shape
     */
    public void loadAll(Function<String, Optional<StoredTensor>> trained) {
        SequencedMap<StateTensor, StoredTensor> taken = new LinkedHashMap<>();
        List<String> missing = new ArrayList<>();
        for (StateTensor tensor : tensors.values()) {
            trained.apply(tensor.name())
                    .ifPresentOrElse(
                            stored -> taken.put(tensor, stored),
                            () -> missing.add(tensor.name() + ": " + tensor.tensorType()));
        }
        if (!missing.isEmpty()) {
            throw new DataException("the file lacks " + Count.some(missing));
        }
        take(taken);
    }

    /** Names of all tensors, sorted. */
    public Stream<String> names() {
        return tensors.keySet().stream();
    }

    /** All tensors by name, each as a whole; their bytes are valid until the next step. */
    public List<StoredTensor> tensors() {
        return streams().stream().map(StateTensor::whole).toList();
    }

    /** All tensors by name, which need not be in memory; valid until the next step. */
    List<StateTensor> streams() {
        return List.copyOf(tensors.values());
    }

    /** Gives a plan that takes turns with this one what it has whole and ranks have in shares. */
    public void gatherInto(Executable other) {
        for (ArenaTensor input : other.plan().inputs()) {
            Optional.ofNullable(tensors.get(input.name()))
                    .filter(tensor -> tensor.isShared() && input.share().isEmpty())
                    .ifPresent(shared -> StateTensor.of(other, List.of(input)).write(shared.whole()));
        }
    }

    /** Gives a plan in an arena of its own all that it keeps between steps and this one has. */
    public void copyInto(Executable other) {
        stream(other.plan(), other::write);
    }

    /** Gives another process what that copies into such a plan. */
    public void giveFor(ExecutionPlan other) {
        stream(other, (_, _) -> {});
    }

    /** @param sink takes what a plan keeps between steps, and where in its arena that goes */
    private void stream(ExecutionPlan other, PlacedSink sink) {
        for (ArenaTensor input : other.inputs()) {
            StateTensor tensor = tensors.get(input.name());
            if (tensor != null && input.kind().isPersistent()) {
                long[] at = {input.offset()};
                stream(tensor, piece -> {
                    sink.take(at[0], piece);
                    at[0] += piece.byteSize();
                });
            }
        }
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
        stream(state, piece -> digest.update(piece.asByteBuffer()));
    }

    /** @param sink that takes everything */
    private static void stream(StateTensor tensor, Sink sink) {
        try {
            tensor.stream(sink);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
