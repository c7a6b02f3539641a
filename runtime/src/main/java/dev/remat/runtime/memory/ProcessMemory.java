package dev.remat.runtime.memory;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.remat.ir.natives.NativeCall;
import dev.remat.runtime.memory.MemoryLimit.Kind;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.nio.file.Path;

/** What a process takes beside the arena of the plan that it runs on the CPU, as docs/measurements.md tells. */
public final class ProcessMemory {
    private static final int MEBIBYTE_BITS = 20;

    /** The Java virtual machine, its code and classes, and libraries, once the compiler's heap is given back. */
    private static final long STARTED = 132L << MEBIBYTE_BITS;
    /** The plan in the heap, and a kernel's bound form. */
    private static final long KERNEL = 8L << 10;
    /** Machine code of kernels, young objects, a batch on its way in. */
    private static final long RUNNING = 32L << MEBIBYTE_BITS;
    /** What a product copies its factors to, and a stack. */
    private static final long THREAD = 8L << MEBIBYTE_BITS;
    /** Libraries and pools that are mapped, and hardly touched. */
    private static final long MAPPED = 192L << MEBIBYTE_BITS;

    private static final long MAPPED_BY_THREAD = 48L << MEBIBYTE_BITS;

    /** Of what is left, what a plan of unknown size may take of the heap: a part, and at least so many bytes. */
    private static final long PLAN_PART = 16;

    private static final long LEAST_PLAN = 16L << MEBIBYTE_BITS;

    private ProcessMemory() {}

    /** Resident bytes beside the arena while a plan of so many kernels runs on so many threads. */
    public static long besideArena(long kernels, int threads) {
        return STARTED + kernels * KERNEL + RUNNING + threads * THREAD;
    }

    /** Of a limit, what a process that has planned and has loaded nothing will still take beside the arena. */
    static long stillToTake(Kind kind, int threads) {
        return switch (kind) {
            case RESIDENT -> RUNNING + threads * THREAD;
            case MAPPED -> MAPPED + threads * MAPPED_BY_THREAD;
        };
    }

    /**
     * How large an arena there will be memory for, whatever is planned: the least that a limit leaves.
     *
     * @throws ProcessMemoryException if there is none for any
     */
    public static long leftToArena(int threads) {
        return leftToArena(threads, MemoryLimits.ofProcess(), residentBytes());
    }

    static long leftToArena(int threads, MemoryLimits limits, long residentBytes) {
        long least = Long.MAX_VALUE;
        for (MemoryLimit limit : limits.read()) {
            long beside = stillToTake(limit.kind(), threads);
            long free = limit.freeBytes();
            if (limit.kind() == Kind.RESIDENT) {
                free += residentBytes;
                beside += STARTED;
            }
            long left = free - beside;
            left -= Math.max(LEAST_PLAN, left / PLAN_PART);
            if (left <= 0) {
                long taken = limit.kind() == Kind.RESIDENT ? residentBytes : 0;
                throw new ProcessMemoryException(0, Math.max(0, beside + LEAST_PLAN - taken), limit);
            }
            least = Math.min(least, left);
        }
        return least;
    }

    private static long residentBytes() {
        return new KernelFiles(Path.of("/"))
                .kibibytes("proc/self/status", "VmRSS")
                .orElse(0);
    }

    /** Gives back what nobody refers to any more: objects, and what the C library of GNU keeps for later. */
    public static void giveBack() {
        System.gc();
        Linker linker = Linker.nativeLinker();
        linker.defaultLookup()
                .find("malloc_trim")
                .map(symbol -> linker.downcallHandle(symbol, FunctionDescriptor.of(JAVA_INT, JAVA_LONG)))
                .ifPresent(trim -> NativeCall.of(() -> (int) trim.invokeExact(0L)));
    }
}
