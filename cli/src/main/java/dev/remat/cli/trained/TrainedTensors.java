package dev.remat.cli.trained;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.model.ModelSession;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.Executable;
import dev.remat.runtime.checkpoint.CheckpointMeta;
import dev.remat.runtime.checkpoint.ResumeRules;
import dev.remat.runtime.io.CorruptFileException;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import dev.remat.runtime.train.TrainingState;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What training left: parameters, running statistics and more.
 *
 * @param place where it was read from
 * @param meta of a checkpoint
 * @param averaged whether an average stands for its parameter
 */
public record TrainedTensors(Path place, Optional<CheckpointMeta> meta, NamedTensors file, boolean averaged)
        implements AutoCloseable {
    /**
     * The model as it was trained, where a checkpoint says more than what is set.
     *
     * @throws CorruptFileException if it is a checkpoint of another model
     */
    public ModelSession of(ModelSession model) {
        return meta.map(m -> model.with(model.settings().after(ReadEarlierRun.run(place, m.run(), model.source()))))
                .orElse(model);
    }

    /** @throws CorruptFileException if it is a checkpoint of another model, or names are given for other tensors */
    public void check(ElaboratedModel model) {
        file.check(model.forward().inputs().stream()
                .filter(input -> input.kind().isPersistent())
                .map(input -> model.forward().value(input.value()).name()));
        meta.ifPresent(
                m -> ResumeRules.check(place, m.run(), DescribeRun.model(model), DescribeRun.OF_MODEL, Set.of()));
    }

    /** The tensor that stands for one of the model's, which may be a parameter or its average. */
    public Optional<StoredTensor> find(String name) {
        String parameter = ExecutionPlan.averagedBy(name);
        Optional<StoredTensor> average = averaged ? file.find(ExecutionPlan.averageOf(parameter)) : Optional.empty();
        return average.or(() -> file.find(parameter));
    }

    /** @throws dev.remat.runtime.io.DataException if a tensor that the plan needs is missing or has another shape */
    public void loadInto(Executable executable) {
        loadInto(executable, List.of());
    }

    /**
     * The same, with zeros for some tensors that belong to the plan alone.
     *
     * @param zeros their names
     */
    public void loadInto(Executable executable, List<String> zeros) {
        try (Arena arena = Arena.ofConfined()) {
            new TrainingState(executable)
                    .loadAll(name -> zeros.contains(name) ? Optional.of(zeros(executable, name, arena)) : find(name));
        }
    }

    private static StoredTensor zeros(Executable executable, String name, Arena arena) {
        TensorType type = executable.plan().input(name).type();
        return new StoredTensor(
                name,
                StoredType.of(type.dtype()),
                Arrays.stream(type.shape().toArray()).boxed().toList(),
                arena.allocate(type.bytes(), Long.BYTES));
    }

    @Override
    public void close() {
        file.close();
    }
}
