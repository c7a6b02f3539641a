package dev.remat.cli.option;

import dev.remat.cli.trained.ModelFacts;
import dev.remat.compiler.ast.Model;
import dev.remat.compiler.syntax.CanonicalForm;
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

/**
 * What a run was given, which counts where nothing is given now.
 *
 * @param ofModel extents and hyper-parameters that the model's body reads, by name
 * @param ofTraining hyper-parameters that the training alone reads
 * @param microBatches that a batch was cut into
 */
record EarlierRun(
        SequencedMap<String, String> ofModel,
        SequencedMap<String, String> ofTraining,
        Optional<DType> precision,
        Optional<Integer> microBatches,
        Optional<Long> seed) {
    static final EarlierRun NONE = new EarlierRun(
            new LinkedHashMap<>(), new LinkedHashMap<>(), Optional.empty(), Optional.empty(), Optional.empty());

    /**
     * @param place of its checkpoint
     * @throws CorruptFileException if it is of another model, or has an unknown precision
     */
    static EarlierRun of(Path place, RunFacts run, Model model) {
        if (model.definition().isPresent()) {
            ResumeRules.check(place, run, ModelFacts.of(model), Set.of(Part.MODEL), Set.of());
        }
        SequencedMap<String, String> ofModel = new LinkedHashMap<>(run.of(Part.SYMBOLS));
        ofModel.putAll(run.of(Part.HYPER_PARAMETERS));
        SequencedMap<String, String> ofTraining = new LinkedHashMap<>(run.of(Part.TRAINING));
        ofTraining.keySet().removeAll(CanonicalForm.settings(model).keySet());
        Optional<DType> precision = run.find(Part.PRECISION)
                .map(label -> PrecisionConverter.find(label)
                        .orElseThrow(() -> new CorruptFileException(place, "has an unknown precision " + label)));
        return new EarlierRun(
                ofModel,
                ofTraining,
                precision,
                Optional.of(run.microBatches()),
                run.find(Part.SEED).map(Long::valueOf));
    }

    SequencedMap<String, String> all() {
        SequencedMap<String, String> all = new LinkedHashMap<>(ofModel);
        all.putAll(ofTraining);
        return all;
    }
}
