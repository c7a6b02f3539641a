package dev.remat.runtime.checkpoint;

import dev.remat.runtime.checkpoint.RunFacts.Part;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** Runs for tests. */
public final class Runs {
    private Runs() {}

    public static RunFacts facts(long seed) {
        return RunFacts.none()
                .with(Part.MODEL, Map.of(RunFacts.MODEL_NAME, "Tiny", "hash", "abc"))
                .with(Part.HYPER_PARAMETERS, Map.of("depth", "3"))
                .with(Part.SYMBOLS, Map.of("B", "4", "T", "16"))
                .with(Part.PRECISION, "f32")
                .with(Part.SEED, String.valueOf(seed))
                .with(Part.DATA, Map.of("bytes", "2000"))
                .with(Part.TRAINING, Map.of("optimizer", "adamw(lr = 1e-2)"))
                .with(Part.PLATFORM, Map.of("openblas", "Haswell"));
    }

    /** Takes a folder whatever is in it. */
    public static RunFolder open(Path folder) throws IOException {
        return RunFolder.open(folder, RunFolder.Existing.OVERWRITE, "remat train tiny.model");
    }
}
