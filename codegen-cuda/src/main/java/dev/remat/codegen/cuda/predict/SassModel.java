package dev.remat.codegen.cuda.predict;

import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.Card;
import java.util.Optional;

/**
 * The numbers of a cost model that counts instructions of compiled kernels. They stay as they are, so that kernels of
 * different days can be compared; what a card measures replaces the model and does not change it.
 *
 * @param name by which reports name it
 * @param card whose time it predicts
 * @param multiprocessors that run blocks side by side, each with four schedulers
 * @param hertz clock under load in cycles a second
 * @param streamBytes of memory that a long copy moves in a second, reads and writes together
 * @param cacheBytes that the second cache moves in a second
 * @param cacheCapacity bytes that stay in the second cache between kernels
 * @param launchNanos between the end of a kernel and the start of the next in a replayed graph
 */
public record SassModel(
        String name,
        String card,
        int multiprocessors,
        double hertz,
        double streamBytes,
        double cacheBytes,
        long cacheCapacity,
        double launchNanos) {
    /** The schedulers of a multiprocessor, each of which issues one instruction a cycle. */
    static final int SCHEDULERS = 4;

    /** Threads of a warp. */
    static final int WARP = 32;

    private static final SassModel HOPPER =
            new SassModel("sass:sm_90a", Card.H100.label(), 132, 1.70e9, 3.0e12, 5.0e12, 50_000_000, 1300);

    /** The model of an architecture; there is one for sm_90a so far. */
    public static Optional<SassModel> of(String architecture) {
        return architecture.equals(Architecture.SM_90A.label()) ? Optional.of(HOPPER) : Optional.empty();
    }

    double nanos(double cycles) {
        return cycles / hertz * 1e9;
    }

    /** Time to move {@code bytes} at a share of what copies reach. */
    double memoryNanos(double bytes, double efficiency) {
        double rate = bytes <= cacheCapacity ? cacheBytes : streamBytes;
        return bytes / (rate * efficiency) * 1e9;
    }
}
