package dev.remat.cli.option;

import dev.remat.compiler.ast.Model;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.Executable;
import dev.remat.runtime.checkpoint.CheckpointMeta;
import dev.remat.runtime.checkpoint.ResumeRules;
import dev.remat.runtime.checkpoint.RunFacts;
import dev.remat.runtime.checkpoint.RunFacts.Part;
import dev.remat.runtime.io.CorruptFileException;
import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.train.TrainingState;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.Set;

/**
 * What training left: parameters, running statistics and more.
 *
 * @param place where it was read from
 * @param meta of a checkpoint
 * @param averaged whether an average stands for its parameter
 */
public record TrainedTensors(Path place, Optional<CheckpointMeta> meta, SafetensorsFile file, boolean averaged)
        implements AutoCloseable {
    /** @throws CorruptFileException if it is a checkpoint of another model */
    public void check(ElaboratedModel model) {
        check(ModelFacts.of(model), ModelFacts.PARTS);
    }

    /**
     * The extents and hyper-parameters that a model was trained with, by name; none that are unknown.
     *
     * @throws CorruptFileException if it is a checkpoint of another model
     */
    SequencedMap<String, String> settings(Model model) {
        if (model.definition().isPresent()) {
            check(ModelFacts.of(model), Set.of(Part.MODEL));
        }
        SequencedMap<String, String> settings = new LinkedHashMap<>();
        meta.ifPresent(m -> {
            settings.putAll(m.run().of(Part.SYMBOLS));
            settings.putAll(m.run().of(Part.HYPER_PARAMETERS));
        });
        return settings;
    }

    /**
     * What activations were in; empty if that is unknown.
     *
     * @throws CorruptFileException if it is no floating point dtype
     */
    Optional<DType> precision() {
        return meta.map(m -> m.run().of(Part.PRECISION).get(Part.PRECISION.label()))
                .map(label -> PrecisionConverter.find(label)
                        .orElseThrow(() -> new CorruptFileException(place, "has an unknown precision " + label)));
    }

    /** Of the run; empty if that is unknown. */
    OptionalLong seed() {
        return meta.map(m -> OptionalLong.of(m.seed())).orElse(OptionalLong.empty());
    }

    private void check(RunFacts now, Set<Part> parts) {
        meta.ifPresent(m -> ResumeRules.check(place, m.run(), now, parts, Set.of()));
    }

    /** The tensor that stands for one of the model's, which may be a parameter or its average. */
    public Optional<StoredTensor> find(String name) {
        String parameter = ExecutionPlan.averagedBy(name);
        Optional<StoredTensor> average = averaged ? file.find(ExecutionPlan.averageOf(parameter)) : Optional.empty();
        return average.or(() -> file.find(parameter));
    }

    /** @throws dev.remat.runtime.io.DataException if a tensor that the plan needs is missing or has another shape */
    public void loadInto(Executable executable) {
        new TrainingState(executable).loadAll(this::find);
    }

    @Override
    public void close() {
        file.close();
    }
}
