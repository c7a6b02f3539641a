package dev.remat.runtime.memory;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.remat.ir.Alignment;
import dev.remat.ir.natives.NativeCall;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Memory for tensors, of large pages where the system has some: matrices whose rows lie far apart then need a few of
 * its translations of addresses instead of one a row. A system that has none gives small ones.
 */
public final class LargePages {
    private static final long PAGE = 2L << 20;
    private static final int READ_AND_WRITE = 3;
    private static final int PRIVATE_AND_ANONYMOUS = 0x22;
    private static final int NO_FILE = -1;
    private static final long FAILED = -1;
    private static final int ADVICE_LARGE = 14;

    private static final MethodHandle MAP = call(
            "mmap", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle ADVISE =
            call("madvise", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle UNMAP = call("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));

    private LargePages() {}

    private static MethodHandle call(String name, FunctionDescriptor types) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), types);
    }

    /**
     * Memory that is 0 and lives as long as {@code owner}; what is smaller than a large page comes from the owner.
     *
     * @param alignment bytes, at most a large page
     * @throws OutOfMemoryError if there is none
     */
    public static MemorySegment allocate(Arena owner, long bytes, long alignment) {
        if (bytes < PAGE) {
            return owner.allocate(bytes, alignment);
        }
        long mapped = Alignment.up(bytes, PAGE) + PAGE;
        long start = NativeCall.of(
                () -> (long) MAP.invokeExact(0L, mapped, READ_AND_WRITE, PRIVATE_AND_ANONYMOUS, NO_FILE, 0L));
        if (start == FAILED) {
            throw new OutOfMemoryError("no memory for " + bytes + " bytes of tensors");
        }
        long first = Alignment.up(start, PAGE);
        // What it says to that changes nothing but speed.
        NativeCall.of(() -> (int) ADVISE.invokeExact(first, mapped - PAGE, ADVICE_LARGE));
        return MemorySegment.ofAddress(first)
                .reinterpret(bytes, owner, _ -> NativeCall.of(() -> (int) UNMAP.invokeExact(start, mapped)));
    }
}
