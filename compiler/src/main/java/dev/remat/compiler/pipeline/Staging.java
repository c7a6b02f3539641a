package dev.remat.compiler.pipeline;

/**
 * How a step is cut into stages that work side by side.
 *
 * @param stages how many, at least 2
 * @param schedule in which order each takes micro-batches
 */
public record Staging(int stages, Schedule schedule) {
    public Staging {
        if (stages < 2) {
            throw new IllegalArgumentException(stages + " stages");
        }
    }

    /** How many parts the model is cut into. */
    public int parts() {
        return stages * schedule.partsEach();
    }

    @Override
    public String toString() {
        return stages + " stages by " + schedule;
    }
}
