package dev.remat.compiler.memory;

/**
 * An outcome of one greedy run.
 *
 * @param offsets one a buffer
 * @param work comparisons it took
 */
record Placement(long[] offsets, long work) {}
