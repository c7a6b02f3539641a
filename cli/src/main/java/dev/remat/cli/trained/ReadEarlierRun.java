package dev.remat.cli.trained;

import dev.remat.compiler.model.EarlierRun;
import dev.remat.compiler.model.ModelSource;
import dev.remat.ir.DType;
import dev.remat.runtime.checkpoint.ResumeRules;
import dev.remat.runtime.checkpoint.RunFacts;
import dev.remat.runtime.checkpoint.RunFacts.Part;
import dev.remat.runtime.io.CorruptFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/** Takes what a run was given from the facts that its checkpoint tells. */
public final class ReadEarlierRun {
    private ReadEarlierRun() {}

    /**
     * @param place of the checkpoint
     * @throws CorruptFileException if it is of another model, or has an unknown precision
     * @throws dev.remat.ir.diagnostic.ModelException if the model cannot be parsed
     */
    public static EarlierRun run(Path place, RunFacts run, ModelSource model) {
        model.identity()
                .ifPresent(identity ->
                        ResumeRules.check(place, run, DescribeRun.model(identity), Set.of(Part.MODEL), Set.of()));
        SequencedMap<String, String> ofModel = new LinkedHashMap<>(run.of(Part.SYMBOLS));
        ofModel.putAll(run.of(Part.HYPER_PARAMETERS));
        SequencedMap<String, String> ofTraining = new LinkedHashMap<>(run.of(Part.TRAINING));
        ofTraining.keySet().removeAll(model.trainingSettings());
        Optional<DType> precision = run.find(Part.PRECISION)
                .map(label -> DType.findFloat(label)
                        .orElseThrow(() -> new CorruptFileException(place, "has an unknown precision " + label)));
        return new EarlierRun(
                ofModel,
                ofTraining,
                precision,
                Optional.of(run.microBatches()),
                run.find(Part.SEED).map(Long::valueOf));
    }
}
