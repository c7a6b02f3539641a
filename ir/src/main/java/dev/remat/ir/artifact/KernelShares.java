package dev.remat.ir.artifact;

import java.util.Arrays;
import java.util.List;

/** How the arithmetic of a step is spread over the kernels of an artifact. */
public final class KernelShares {
    /** What tells a launch that sums products from those that prepare or merge. */
    private record Weight(int sharedBytes, int registers) {
        boolean exceeds(Weight other) {
            return sharedBytes != other.sharedBytes ? sharedBytes > other.sharedBytes : registers > other.registers;
        }
    }

    private KernelShares() {}

    /**
     * Shares of the step's operations by rows of the table, together 1. Where several launches make a step of the plan,
     * its operations count for the one with most shared memory, then registers.
     */
    public static List<Double> of(Artifact artifact, DeviceCode device) {
        double[] flops = new double[artifact.manifest().kernels().size()];
        List<Launch> launches = device.launches();
        for (int first = 0, next; first < launches.size(); first = next) {
            Launch main = launches.get(first);
            for (next = first + 1; next < launches.size() && launches.get(next).step() == main.step(); next++) {
                Launch other = launches.get(next);
                boolean heavier = weight(artifact, device, other).exceeds(weight(artifact, device, main));
                main = heavier ? other : main;
            }
            flops[main.kernel()] +=
                    artifact.plan().steps().get(main.step()).body().flops();
        }
        double sum = Arrays.stream(flops).sum();
        return Arrays.stream(flops).mapToObj(f -> sum == 0 ? 0 : f / sum).toList();
    }

    private static Weight weight(Artifact artifact, DeviceCode device, Launch launch) {
        ArtifactKernel kernel = artifact.manifest().kernels().get(launch.kernel());
        KernelUsage usage = kernel.on(device.architecture()).orElseThrow().usage();
        return new Weight(launch.sharedBytes() + usage.sharedBytes(), usage.registers());
    }
}
