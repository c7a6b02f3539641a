package dev.remat.codegen.cuda.nvrtc;

import dev.remat.codegen.cuda.Architecture;
import dev.remat.ir.artifact.KernelUsage;
import java.util.List;

/**
 * All kernels of a program as machine code for one architecture.
 *
 * @param cubin an ELF file that a driver loads as it is
 * @param usages what each kernel takes, in the order of the kernels
 */
public record CubinImage(Architecture architecture, byte[] cubin, List<KernelUsage> usages) {
    public CubinImage {
        usages = List.copyOf(usages);
    }
}
