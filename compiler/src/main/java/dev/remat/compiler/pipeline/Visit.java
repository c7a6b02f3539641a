package dev.remat.compiler.pipeline;

/**
 * A micro-batch in a part of the model.
 *
 * @param part of the model, from 0 in the order of the forward pass
 * @param microBatch from 0
 */
public record Visit(int part, Phase phase, int microBatch) {
    @Override
    public String toString() {
        return phase.name().charAt(0) + "" + microBatch + "@" + part;
    }
}
