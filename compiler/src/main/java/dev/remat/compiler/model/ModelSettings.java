package dev.remat.compiler.model;

import dev.remat.compiler.batch.MicroBatchOrder;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.ir.DType;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * What is set about a model; it says itself whatever is empty here.
 *
 * @param set extents of symbols and values of hyper-parameters, before those of the earlier run
 * @param precision of activations; f64 is that of everything
 * @param seed of initial values, random draws and the order of the data
 * @param microBatches that a batch is cut into, from 1
 * @param order in which a step goes through them
 * @param refusesBatchNorms that would see a micro-batch in place of the batch
 * @param earlier the run that goes on
 */
public record ModelSettings(
        Bindings set,
        Optional<DType> precision,
        Optional<Long> seed,
        Optional<Integer> microBatches,
        MicroBatchOrder order,
        boolean refusesBatchNorms,
        EarlierRun earlier) {
    public static final ModelSettings NONE = of(Bindings.NONE);

    public static ModelSettings of(Bindings set) {
        return new ModelSettings(
                set,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                MicroBatchOrder.DEPTH,
                false,
                EarlierRun.NONE);
    }

    /** With one more symbol or hyper-parameter set, or to another value. */
    public ModelSettings with(String name, String value) {
        return with(set.with(name, value));
    }

    /** With nothing said of a name, by the earlier run neither. */
    public ModelSettings without(String name) {
        return with(set.without(name));
    }

    private ModelSettings with(Bindings other) {
        return new ModelSettings(other, precision, seed, microBatches, order, refusesBatchNorms, earlier);
    }

    public ModelSettings withPrecision(DType other) {
        return new ModelSettings(set, Optional.of(other), seed, microBatches, order, refusesBatchNorms, earlier);
    }

    public ModelSettings withSeed(long other) {
        return new ModelSettings(set, precision, Optional.of(other), microBatches, order, refusesBatchNorms, earlier);
    }

    /** With each batch cut into so many parts of equal size, from 1. */
    public ModelSettings cutInto(int parts) {
        return new ModelSettings(set, precision, seed, Optional.of(parts), order, refusesBatchNorms, earlier);
    }

    public ModelSettings with(MicroBatchOrder other) {
        return new ModelSettings(set, precision, seed, microBatches, other, refusesBatchNorms, earlier);
    }

    /** No batch norm may see a micro-batch in place of the batch. */
    public ModelSettings refusingBatchNorms() {
        return new ModelSettings(set, precision, seed, microBatches, order, true, earlier);
    }

    /** As a run goes on. */
    public ModelSettings after(EarlierRun run) {
        return new ModelSettings(set.after(run.all()), precision, seed, microBatches, order, refusesBatchNorms, run);
    }

    /** How many parts a batch is cut into; empty: the model's own number. */
    Optional<Integer> parts() {
        return microBatches.or(earlier::microBatches);
    }

    /** The model as it was elaborated, with what counts apart from its graph. */
    ElaboratedModel on(ElaboratedModel elaborated) {
        ElaboratedModel seeded =
                seed.or(earlier::seed).map(elaborated::withSeed).orElse(elaborated);
        ElaboratedModel cut =
                parts().map(seeded::withMicroBatches).orElse(seeded).with(order);
        return precision.or(earlier::precision).map(cut::withPrecision).orElse(cut);
    }

    /** Everything that was set by name, as it was written, in order of names. */
    public SequencedMap<String, String> byName() {
        return new LinkedHashMap<>(new TreeMap<>(set.values()));
    }
}
