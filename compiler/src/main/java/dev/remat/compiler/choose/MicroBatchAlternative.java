package dev.remat.compiler.choose;

import dev.remat.compiler.search.MemoryFloor;
import dev.remat.ir.diagnostic.Diagnostic;

/**
 * A number of micro-batches, and what came of it.
 *
 * @param rows of each
 */
public record MicroBatchAlternative(int count, long rows, Outcome outcome) {
    /** What is known of steps that are cut so. */
    public sealed interface Outcome {
        /**
         * A plan fits.
         *
         * @param cost of the whole step, all rounds of it
         * @param overhead share of the time of a round that is recomputation
         */
        record Planned(long arenaBytes, long cost, double overhead) implements Outcome {}

        /** Even without recomputation the step would cost more than the best one that fits. */
        record Slower(long cost) implements Outcome {}

        /** Proven: no plan fits. */
        record Impossible(MemoryFloor floor) implements Outcome {}

        /** No plan was found to fit. */
        record NotFound(long smallestFoundBytes) implements Outcome {}

        /** The model cannot be cut, so that greater numbers were not looked at. */
        record Refused(Diagnostic why) implements Outcome {}
    }
}
