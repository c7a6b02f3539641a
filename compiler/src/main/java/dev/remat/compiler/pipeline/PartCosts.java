package dev.remat.compiler.pipeline;

/**
 * What a visit of a part takes.
 *
 * @param backward with the gradients of parameters, unless {@code weights} has them
 * @param weights gradients of parameters by themselves, by schedules that split them off
 * @param repeat what is computed again in front of a backward visit
 * @param bytes that the part sends on; as many come back
 */
public record PartCosts(long forward, long backward, long weights, long repeat, long bytes) {}
