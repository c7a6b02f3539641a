package dev.remat.ir.artifact;

import dev.remat.ir.diagnostic.Count;
import java.util.List;

/**
 * Whether launches can be handed to a driver: of kernels that exist, with the arguments that they take, inside the
 * arena and within what the architecture allows.
 *
 * @param steps how many steps the plan has
 * @param sharedBytes shared memory that a block may have
 */
record LaunchChecks(List<KernelEntry> kernels, int steps, long arenaBytes, int sharedBytes) {
    private static final int MAX_GRID_YZ = 65_535;
    private static final int MAX_BLOCK_Z = 64;

    LaunchChecks {
        kernels = List.copyOf(kernels);
    }

    /** @throws IllegalArgumentException if the launch is none of this program */
    void check(Launch launch) {
        if (launch.kernel() >= kernels.size()) {
            throw new IllegalArgumentException(
                    "kernel " + launch.kernel() + " of " + kernels.size() + " does not exist");
        }
        KernelEntry kernel = kernels.get(launch.kernel());
        if (launch.step() >= steps) {
            throw wrong(kernel, "belongs to step " + launch.step() + " of " + steps);
        }
        if (launch.grid().y() > MAX_GRID_YZ || launch.grid().z() > MAX_GRID_YZ) {
            throw wrong(kernel, "has a grid of " + launch.grid());
        }
        if (launch.block().count() > kernel.threads() || launch.block().z() > MAX_BLOCK_Z) {
            throw wrong(kernel, "has blocks of " + launch.block() + ", more than " + kernel.threads() + " threads");
        }
        if (launch.sharedBytes() > sharedBytes) {
            throw wrong(kernel, "asks for " + launch.sharedBytes() + " bytes of shared memory");
        }
        if (launch.arguments().size() != kernel.parameters().size()) {
            throw wrong(
                    kernel,
                    "has " + Count.of(launch.arguments().size(), "argument") + " for "
                            + Count.of(kernel.parameters().size(), "parameter"));
        }
        for (int i = 0; i < launch.arguments().size(); i++) {
            checkArgument(kernel, i, launch.arguments().get(i));
        }
    }

    private void checkArgument(KernelEntry kernel, int index, long slot) {
        ParameterType type = kernel.parameters().get(index);
        if (type == ParameterType.POINTER && (slot < ParameterType.NULL || slot > arenaBytes)) {
            throw wrong(kernel, "has argument " + index + " at byte " + slot + ", outside the arena of " + arenaBytes);
        }
        if (!type.holds(slot)) {
            throw wrong(kernel, "has " + slot + " as argument " + index + ", which is no " + type.label());
        }
    }

    private static IllegalArgumentException wrong(KernelEntry kernel, String problem) {
        return new IllegalArgumentException("a launch of " + kernel.symbol() + " " + problem);
    }
}
