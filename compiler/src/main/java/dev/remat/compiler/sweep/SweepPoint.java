package dev.remat.compiler.sweep;

import dev.remat.compiler.search.Candidate;

/**
 * What one plan takes.
 *
 * @param strategy that made it
 * @param bytes as the sweep measures them
 * @param cost of all steps
 */
public record SweepPoint(String strategy, long bytes, long cost) {
    static SweepPoint of(Candidate plan) {
        return new SweepPoint(
                plan.sequence().strategy(), plan.bytes(), plan.evaluation().cost());
    }
}
