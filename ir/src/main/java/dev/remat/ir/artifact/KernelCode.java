package dev.remat.ir.artifact;

import dev.remat.ir.execution.ByteRange;

/**
 * One kernel as compiled for one architecture, as the compiler's log tells it.
 *
 * @param image where in the architecture's cubin file the ELF image with the kernel lies; kernels may share an image
 * @param registers of a thread
 * @param stackBytes stack frame of a thread
 * @param spillStoreBytes registers' content that is written to memory for want of registers
 * @param spillLoadBytes and read back
 * @param sharedBytes static shared memory of a block
 * @param use how the program of this architecture launches it
 */
public record KernelCode(
        String architecture,
        ByteRange image,
        int registers,
        int stackBytes,
        int spillStoreBytes,
        int spillLoadBytes,
        int sharedBytes,
        LaunchUse use) {
    public KernelCode {
        if (registers < 0 || stackBytes < 0 || spillStoreBytes < 0 || spillLoadBytes < 0 || sharedBytes < 0) {
            throw new IllegalArgumentException("a kernel for " + architecture + " takes less than nothing");
        }
    }

    public boolean spills() {
        return spillStoreBytes > 0 || spillLoadBytes > 0;
    }
}
