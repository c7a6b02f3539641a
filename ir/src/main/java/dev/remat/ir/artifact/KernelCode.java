package dev.remat.ir.artifact;

/**
 * One kernel as compiled for one architecture.
 *
 * @param usage as the compiler's log tells it
 * @param use how the program of this architecture launches it
 */
public record KernelCode(String architecture, KernelUsage usage, LaunchUse use) {
    /** Shared memory of a block at most, static and dynamic together. */
    public int sharedBytes() {
        return Math.addExact(usage.sharedBytes(), use.sharedBytes());
    }
}
