package dev.remat.compiler.model;

import dev.remat.ir.DType;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * What a run was given, which counts where nothing is given now.
 *
 * @param ofModel extents and hyper-parameters that the model's body reads, by name
 * @param ofTraining hyper-parameters that the training alone reads
 * @param microBatches that a batch was cut into
 */
public record EarlierRun(
        SequencedMap<String, String> ofModel,
        SequencedMap<String, String> ofTraining,
        Optional<DType> precision,
        Optional<Integer> microBatches,
        Optional<Long> seed) {
    public static final EarlierRun NONE = new EarlierRun(
            new LinkedHashMap<>(), new LinkedHashMap<>(), Optional.empty(), Optional.empty(), Optional.empty());

    public EarlierRun {
        ofModel = new LinkedHashMap<>(ofModel);
        ofTraining = new LinkedHashMap<>(ofTraining);
    }

    /** All that was set by name. */
    public SequencedMap<String, String> all() {
        SequencedMap<String, String> all = new LinkedHashMap<>(ofModel);
        all.putAll(ofTraining);
        return all;
    }
}
