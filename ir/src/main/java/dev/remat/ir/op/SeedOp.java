package dev.remat.ir.op;

/** An operation whose last result is a seed of the random chain. */
public sealed interface SeedOp extends Op permits RandomOp, ResetSeed, StepSeed {
    /** Ordinal of the random operation that takes the seed. */
    int seedOrdinal();
}
