package dev.remat.runtime.memory;

import java.util.Comparator;
import java.util.Optional;

/** Finds out, before an arena is taken, whether there is memory for it and for what the process takes beside it. */
public final class DemandMemory {
    private DemandMemory() {}

    /**
     * Gives back first what the process no longer needs, where all that it may take would be too much.
     *
     * @param arenaBytes of all that is allocated for tensors
     * @param threads that run kernels
     * @throws ProcessMemoryException if there is not so much
     */
    public static void run(long arenaBytes, int threads) {
        run(arenaBytes, threads, Runtime.getRuntime().maxMemory(), MemoryLimits.ofProcess(), ProcessMemory::giveBack);
    }

    /** @param heapBytes that objects may take */
    static void run(long arenaBytes, int threads, long heapBytes, MemoryLimits limits, Runnable giveBack) {
        if (exceeded(arenaBytes + heapBytes, threads, limits).isEmpty()) {
            return;
        }
        giveBack.run();
        Optional<MemoryLimit> exceeded = exceeded(arenaBytes, threads, limits);
        if (exceeded.isPresent()) {
            MemoryLimit limit = exceeded.get();
            throw new ProcessMemoryException(arenaBytes, ProcessMemory.stillToTake(limit.kind(), threads), limit);
        }
    }

    private static Optional<MemoryLimit> exceeded(long arenaBytes, int threads, MemoryLimits limits) {
        return limits.read().stream()
                .filter(limit -> arenaBytes + ProcessMemory.stillToTake(limit.kind(), threads) > limit.leftBytes())
                .min(Comparator.comparingLong(MemoryLimit::leftBytes));
    }
}
