package dev.remat.runtime.lane;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A place in the memory of the host. */
public final class HostPlace implements Place {
    private final Arena owner = Arena.ofShared();
    private final MemorySegment memory;

    /** @throws OutOfMemoryError if there is not so much */
    public HostPlace(long bytes) {
        memory = owner.allocate(Math.max(bytes, 1), DiskPlace.BLOCK);
    }

    @Override
    public void store(MemorySegment source, long offset) {
        MemorySegment.copy(source, 0, memory, offset, source.byteSize());
    }

    @Override
    public void fetch(long offset, MemorySegment target) {
        MemorySegment.copy(memory, offset, target, 0, target.byteSize());
    }

    @Override
    public void close() {
        owner.close();
    }
}
