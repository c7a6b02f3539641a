package dev.remat.ir.artifact;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How the launches of one program use one kernel. Extents are compared by their product; of equal ones the first
 * counts.
 *
 * @param sharedBytes most dynamic shared memory of any launch
 */
public record LaunchUse(
        int launches,
        Extent3 smallestGrid,
        Extent3 largestGrid,
        Extent3 smallestBlock,
        Extent3 largestBlock,
        int sharedBytes) {
    public LaunchUse {
        if (launches < 1 || sharedBytes < 0) {
            throw new IllegalArgumentException(launches + " launches with " + sharedBytes + " bytes of shared memory");
        }
    }

    /** The use of each of {@code kernels} kernels; empty for a kernel without launches. */
    public static List<Optional<LaunchUse>> of(int kernels, List<Launch> launches) {
        LaunchUse[] uses = new LaunchUse[kernels];
        for (Launch launch : launches) {
            LaunchUse use = uses[launch.kernel()];
            uses[launch.kernel()] = use == null ? first(launch) : use.with(launch);
        }
        return Stream.of(uses).map(Optional::ofNullable).toList();
    }

    private static LaunchUse first(Launch launch) {
        return new LaunchUse(1, launch.grid(), launch.grid(), launch.block(), launch.block(), launch.sharedBytes());
    }

    private LaunchUse with(Launch launch) {
        return new LaunchUse(
                launches + 1,
                launch.grid().count() < smallestGrid.count() ? launch.grid() : smallestGrid,
                launch.grid().count() > largestGrid.count() ? launch.grid() : largestGrid,
                launch.block().count() < smallestBlock.count() ? launch.block() : smallestBlock,
                launch.block().count() > largestBlock.count() ? launch.block() : largestBlock,
                Math.max(sharedBytes, launch.sharedBytes()));
    }
}
