package dev.remat.tests.fuzz;

import java.util.SplittableRandom;

/** A kind of input that users get wrong. */
interface FuzzKind {
    /** The same input for the same numbers. */
    FuzzInput make(SplittableRandom random);
}
