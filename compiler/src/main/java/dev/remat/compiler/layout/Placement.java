package dev.remat.compiler.layout;

/**
 * An outcome of one greedy run.
 *
 * @param offsets one a buffer
 * @param work comparisons it took
 */
public record Placement(long[] offsets, long work) {}
