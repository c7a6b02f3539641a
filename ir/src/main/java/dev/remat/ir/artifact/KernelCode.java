package dev.remat.ir.artifact;

import dev.remat.ir.execution.ByteRange;

/**
 * One kernel as compiled for one architecture.
 *
 * @param image where in the architecture's cubin file the ELF image with the kernel lies; kernels may share an image
 * @param usage as the compiler's log tells it
 * @param use how the program of this architecture launches it
 */
public record KernelCode(String architecture, ByteRange image, KernelUsage usage, LaunchUse use) {}
