package dev.remat.cli.trained;

import dev.remat.cli.console.Version;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.elaborate.ModelIdentity;
import dev.remat.compiler.model.ModelSource;
import dev.remat.runtime.Executable;
import dev.remat.runtime.checkpoint.RunFacts;
import dev.remat.runtime.checkpoint.RunFacts.Part;
import dev.remat.runtime.io.Dataset;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** What a checkpoint tells of its run. */
public final class DescribeRun {
    /** The parts that decide what parameters mean. */
    static final Set<Part> OF_MODEL = EnumSet.of(Part.MODEL, Part.HYPER_PARAMETERS);

    /** What is known before there is a plan. */
    public static final Set<Part> ASKED_FOR = EnumSet.complementOf(EnumSet.of(Part.PLATFORM));

    private DescribeRun() {}

    /** Everything but where it runs. */
    public static RunFacts of(RunFacts model, Dataset data) {
        return model.with(Part.DATA, data.identity());
    }

    /** Everything but where it runs, and on what. */
    public static RunFacts of(ElaboratedModel model) {
        SortedMap<String, String> symbols = new TreeMap<>();
        model.extents().forEach((symbol, extent) -> symbols.put(symbol, extent.toString()));
        return model(model)
                .with(Part.SYMBOLS, symbols)
                .with(Part.MICRO_BATCHES, String.valueOf(model.training().microBatches()))
                .with(Part.PRECISION, model.training().precision().label())
                .with(Part.SEED, String.valueOf(model.training().seed()))
                .with(Part.TRAINING, model.identity().training());
    }

    /** The same as {@code run} with where it runs. */
    public static RunFacts of(RunFacts run, Executable executable) {
        SortedMap<String, String> platform = new TreeMap<>(executable.kernels());
        platform.put("remat", Version.REMAT);
        return run.with(Part.PLATFORM, platform);
    }

    /** What decides the meaning of parameters. */
    static RunFacts model(ElaboratedModel model) {
        ModelIdentity identity = model.identity();
        return named(model.name(), identity.hash()).with(Part.HYPER_PARAMETERS, identity.hyperParameters());
    }

    /** What is known before anything has a value: the model itself. */
    static RunFacts model(ModelSource.Identity identity) {
        return named(identity.name(), identity.bodyHash());
    }

    private static RunFacts named(String name, String hash) {
        return RunFacts.none().with(Part.MODEL, Map.of(RunFacts.MODEL_NAME, name, "hash", hash));
    }
}
