package dev.remat.cli.trained;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.elaborate.ModelIdentity;
import dev.remat.compiler.model.ModelSource;
import dev.remat.runtime.checkpoint.RunFacts;
import dev.remat.runtime.checkpoint.RunFacts.Part;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** What a checkpoint tells of its model. */
public final class ModelFacts {
    /** The parts that decide what parameters mean. */
    public static final Set<Part> PARTS = EnumSet.of(Part.MODEL, Part.HYPER_PARAMETERS);

    private ModelFacts() {}

    public static RunFacts of(ElaboratedModel model) {
        ModelIdentity identity = model.identity();
        return named(model.name(), identity.hash()).with(Part.HYPER_PARAMETERS, identity.hyperParameters());
    }

    /** What is known before anything has a value: the model itself. */
    static RunFacts of(ModelSource.Identity identity) {
        return named(identity.name(), identity.bodyHash());
    }

    private static RunFacts named(String name, String hash) {
        return RunFacts.none().with(Part.MODEL, Map.of(RunFacts.MODEL_NAME, name, "hash", hash));
    }
}
