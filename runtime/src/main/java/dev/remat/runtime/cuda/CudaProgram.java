package dev.remat.runtime.cuda;

import dev.remat.ir.artifact.ArtifactKernel;
import dev.remat.ir.artifact.BuildInfo;
import dev.remat.ir.artifact.DeviceCode;
import dev.remat.ir.artifact.KernelEntry;
import java.util.List;

/**
 * The kernels of a plan as machine code of one architecture, and their launches.
 *
 * @param compiler which NVRTC made it: {@code 13.1-8c1f60be}
 * @param kernels which launches name by their number
 */
public record CudaProgram(String compiler, List<KernelEntry> kernels, DeviceCode code) {
    public CudaProgram {
        kernels = List.copyOf(kernels);
    }

    /**
     * One architecture of an artifact.
     *
     * @param kernels the artifact's table
     */
    public static CudaProgram of(BuildInfo build, List<ArtifactKernel> kernels, DeviceCode code) {
        return new CudaProgram(
                build.nvrtc(), kernels.stream().map(ArtifactKernel::entry).toList(), code);
    }
}
