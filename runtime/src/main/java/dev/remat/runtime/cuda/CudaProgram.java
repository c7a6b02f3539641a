package dev.remat.runtime.cuda;

import dev.remat.ir.artifact.ArtifactKernel;
import dev.remat.ir.artifact.BuildInfo;
import dev.remat.ir.artifact.DeviceCode;
import dev.remat.ir.artifact.KernelCode;
import dev.remat.ir.artifact.KernelEntry;
import dev.remat.ir.artifact.KernelUsage;
import dev.remat.ir.artifact.Launch;
import java.util.List;

/**
 * The kernels of a plan as machine code of one architecture, and their launches.
 *
 * @param compiler which NVRTC made it: {@code 13.1-8c1f60be}
 * @param kernels which launches name by their number
 * @param declaredShared bytes of shared memory of a block that the text of each kernel declares
 */
public record CudaProgram(String compiler, List<KernelEntry> kernels, List<Integer> declaredShared, DeviceCode code) {
    public CudaProgram {
        kernels = List.copyOf(kernels);
        declaredShared = List.copyOf(declaredShared);
    }

    /**
     * One architecture of an artifact.
     *
     * @param kernels the artifact's table
     */
    public static CudaProgram of(BuildInfo build, List<ArtifactKernel> kernels, DeviceCode code) {
        return new CudaProgram(
                build.nvrtc(),
                kernels.stream().map(ArtifactKernel::entry).toList(),
                kernels.stream()
                        .map(kernel -> kernel.on(code.architecture())
                                .map(KernelCode::usage)
                                .map(KernelUsage::sharedBytes)
                                .orElse(0))
                        .toList(),
                code);
    }

    /** Shared memory that a block of a launch has: what the kernel's text declares, and what the launch asks for. */
    long sharedBytes(Launch launch) {
        return (long) declaredShared.get(launch.kernel()) + launch.sharedBytes();
    }
}
