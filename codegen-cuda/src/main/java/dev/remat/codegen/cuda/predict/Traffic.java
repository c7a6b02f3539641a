package dev.remat.codegen.cuda.predict;

/**
 * Bytes of the arena that a launch moves, every tensor once, whatever the caches do.
 *
 * @param read from tensors of the plan
 * @param written to them
 * @param scratch read from or written to the step's workspace
 */
record Traffic(long read, long written, long scratch) {
    static final Traffic NONE = new Traffic(0, 0, 0);

    long bytes() {
        return read + written + scratch;
    }
}
