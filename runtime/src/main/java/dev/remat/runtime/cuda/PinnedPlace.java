package dev.remat.runtime.cuda;

import static dev.remat.runtime.cuda.CudaDriver.check;
import static org.bytedeco.cuda.global.cudart.CUDA_ERROR_OUT_OF_MEMORY;
import static org.bytedeco.cuda.global.cudart.cuMemFreeHost;
import static org.bytedeco.cuda.global.cudart.cuMemHostAlloc;

import dev.remat.runtime.memory.MemoryLimits;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;
import org.bytedeco.javacpp.Pointer;

/** All memory of the host that a plan moves tensors to: one block, which the GPU reads and writes by itself. */
final class PinnedPlace implements AutoCloseable {
    private final Pointer pinned = new Pointer();
    private final MemorySegment bytes;

    /**
     * Callers have made the context their own.
     *
     * @throws HostMemoryException if the host has less free, or pins no block of that size
     */
    PinnedPlace(long size) {
        OptionalLong free = MemoryLimits.ofProcess().freeBytes();
        if (free.isPresent() && free.getAsLong() < size) {
            throw new HostMemoryException(size, free.getAsLong(), "of which " + free.getAsLong() + " are free");
        }
        int result = cuMemHostAlloc(pinned, size, 0);
        if (result == CUDA_ERROR_OUT_OF_MEMORY) {
            long left = free.orElse(0);
            throw new HostMemoryException(size, left, "and the driver cannot pin so many; " + left + " are free");
        }
        check(result, size + " bytes of the host's memory cannot be pinned");
        bytes = MemorySegment.ofAddress(pinned.address()).reinterpret(size).fill((byte) 0);
    }

    /** Where a copy finds byte {@code offset}. */
    Pointer at(long offset) {
        return NativeAddress.of(bytes.asSlice(offset));
    }

    MemorySegment slice(long offset, long length) {
        return bytes.asSlice(offset, length);
    }

    @Override
    public void close() {
        cuMemFreeHost(pinned);
    }
}
