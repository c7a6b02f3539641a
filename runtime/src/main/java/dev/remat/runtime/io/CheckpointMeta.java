package dev.remat.runtime.io;

/**
 * What a checkpoint says about itself.
 *
 * @param modelHash hash of the canonical model that was trained
 * @param step number of completed steps
 * @param seed the user seed of the run; the random draws and the data's order depend on it
 */
public record CheckpointMeta(String modelHash, long step, long seed) {
    public CheckpointMeta {
        if (step < 0) {
            throw new IllegalArgumentException("negative step " + step);
        }
    }
}
