package dev.remat.runtime.checkpoint;

/**
 * What a checkpoint says about itself.
 *
 * @param run what was trained, on what, and where; its seed decides the random draws and the data's order
 * @param step number of completed steps
 */
public record CheckpointMeta(RunFacts run, long step) {
    /** @throws IllegalArgumentException if the step is negative or the run has no seed */
    public CheckpointMeta {
        if (step < 0) {
            throw new IllegalArgumentException("negative step " + step);
        }
        seed(run);
    }

    /** The user seed of the run. */
    public long seed() {
        return seed(run);
    }

    /** Name of the model that was trained. */
    public String model() {
        return run.of(RunFacts.Part.MODEL).getOrDefault(RunFacts.MODEL_NAME, "a model");
    }

    private static long seed(RunFacts run) {
        return RunFacts.whole(
                RunFacts.Part.SEED.label(),
                run.find(RunFacts.Part.SEED).orElseThrow(() -> new IllegalArgumentException("no seed")));
    }
}
