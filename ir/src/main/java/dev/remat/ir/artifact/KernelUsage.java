package dev.remat.ir.artifact;

/**
 * What a compiled kernel takes of a multiprocessor.
 *
 * @param registers of a thread
 * @param barriers of a block
 * @param stackBytes local memory of a thread for its call frames, spills among them
 * @param spillStoreBytes that a thread writes because it has too few registers
 * @param spillLoadBytes that a thread reads back
 * @param sharedBytes shared memory of a block that is declared in the text; what a launch asks for comes on top
 * @param constantBytes constant memory, parameters among it where the architecture keeps them there
 */
public record KernelUsage(
        int registers,
        int barriers,
        int stackBytes,
        int spillStoreBytes,
        int spillLoadBytes,
        int sharedBytes,
        int constantBytes) {
    public KernelUsage {
        if (registers < 0
                || barriers < 0
                || stackBytes < 0
                || spillStoreBytes < 0
                || spillLoadBytes < 0
                || sharedBytes < 0
                || constantBytes < 0) {
            throw new IllegalArgumentException("a kernel uses less than nothing");
        }
    }

    public boolean spills() {
        return spillStoreBytes > 0 || spillLoadBytes > 0;
    }
}
