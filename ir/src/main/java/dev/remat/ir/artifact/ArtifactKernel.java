package dev.remat.ir.artifact;

import java.util.List;
import java.util.Optional;

/**
 * A row of an artifact's table of kernels.
 *
 * @param code one for each architecture whose program launches it, in the order of the artifact's architectures
 */
public record ArtifactKernel(KernelEntry entry, List<KernelCode> code) {
    public ArtifactKernel {
        code = List.copyOf(code);
        if (code.isEmpty()) {
            throw new IllegalArgumentException("kernel " + entry.symbol() + " is compiled for no architecture");
        }
    }

    /** How the kernel looks on {@code architecture}; empty where no launch needs it. */
    public Optional<KernelCode> on(String architecture) {
        return code.stream().filter(c -> c.architecture().equals(architecture)).findFirst();
    }
}
