package dev.remat.compiler.pipeline;

import dev.remat.ir.ValueId;

/** Where something that a stage reads comes from. */
sealed interface Source {
    /** Computed. */
    record Made(Piece piece, ValueId value) implements Source {}

    /** A parameter or state, by its name. */
    record Given(String input) implements Source {}

    /** A micro-batch's rows of data. */
    record Rows(String input, int number) implements Source {}
}
