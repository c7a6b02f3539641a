package dev.remat.codegen.cuda.predict;

import dev.remat.ir.artifact.KernelEntry;
import dev.remat.ir.artifact.Launch;
import java.util.List;
import java.util.Optional;

/**
 * Extents of a product as its launches have them: the last five arguments, {@code GemmShape} in {@code gemm.cuh}.
 *
 * @param splitDepth terms that one block sums
 */
record ProductShape(long m, long n, long k, long batches, long splitDepth) {
    private static final int EXTENTS = 5;
    private static final String SECOND_PASS = "split_k";
    private static final int SUM_BYTES = 4;

    /** The extents of a product's launch, and of one that adds its splits; empty for others. */
    static Optional<ProductShape> of(KernelEntry kernel, Launch launch) {
        boolean product = kernel.family().startsWith("gemm_") || kernel.family().equals(SECOND_PASS);
        int first = launch.arguments().size() - EXTENTS;
        if (!product || first < 1) {
            return Optional.empty();
        }
        List<Long> last = launch.arguments().subList(first, first + EXTENTS);
        boolean sound = last.stream().allMatch(extent -> extent >= 1 && extent <= Integer.MAX_VALUE);
        return sound
                ? Optional.of(new ProductShape(last.get(0), last.get(1), last.get(2), last.get(3), last.get(4)))
                : Optional.empty();
    }

    /** The extents of a launch that adds splits. */
    static Optional<ProductShape> ofSecondPass(KernelEntry kernel, Launch launch) {
        return kernel.family().equals(SECOND_PASS) ? of(kernel, launch) : Optional.empty();
    }

    /** Terms that the longest block sums. */
    long depth() {
        return Math.min(k, splitDepth);
    }

    /** Bytes of the sums of all splits. */
    long partialBytes() {
        return (long) ((double) Math.ceilDiv(k, splitDepth) * batches * m * n * SUM_BYTES);
    }
}
