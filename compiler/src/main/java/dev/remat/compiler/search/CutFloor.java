package dev.remat.compiler.search;

/**
 * What no plan of a step can do without if its batch or its losses are cut.
 *
 * @param microBatches that the batch is cut into, from 1
 * @param chunks that losses are asked to be cut into, from 1
 */
public record CutFloor(int microBatches, int chunks, MemoryFloor floor) {}
