package dev.remat.compiler.pipeline;

/**
 * A graph of a step for one of its micro-batches.
 *
 * @param number of the micro-batch; 0 where there is one graph for all
 */
record Piece(Section section, int number) {
    /** Which graph. */
    enum Section {
        COUNTED,
        BODY,
        UPDATES
    }
}
