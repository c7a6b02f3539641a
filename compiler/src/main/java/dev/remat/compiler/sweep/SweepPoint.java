package dev.remat.compiler.sweep;

/**
 * What one plan takes.
 *
 * @param strategy that made it
 * @param bytes as the sweep measures them
 * @param cost of everything that runs
 */
public record SweepPoint(String strategy, long bytes, long cost) {}
