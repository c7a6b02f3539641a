package dev.remat.compiler.search;

/**
 * What no plan can do without, whatever it recomputes. Proven: see {@link dev.remat.compiler.plan.evaluate.Floor}.
 *
 * @param setBy what needs so much, in words, with its location
 */
public record MemoryFloor(long bytes, String setBy) {}
