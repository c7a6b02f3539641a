package dev.remat.runtime.cuda;

import static dev.remat.runtime.cuda.CudaDriver.check;
import static org.bytedeco.cuda.global.cudart.CU_EVENT_DISABLE_TIMING;
import static org.bytedeco.cuda.global.cudart.cuEventCreate;
import static org.bytedeco.cuda.global.cudart.cuEventDestroy;
import static org.bytedeco.cuda.global.cudart.cuEventRecord;
import static org.bytedeco.cuda.global.cudart.cuEventSynchronize;
import static org.bytedeco.cuda.global.cudart.cuMemFreeHost;
import static org.bytedeco.cuda.global.cudart.cuMemHostAlloc;
import static org.bytedeco.cuda.global.cudart.cuMemcpyDtoHAsync;
import static org.bytedeco.cuda.global.cudart.cuMemcpyHtoDAsync;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.Pointer;

/**
 * Memory of the host that the GPU reads and writes by itself, in two halves: while one is on its way, the other is
 * filled or emptied. Callers have made the context their own.
 */
final class PinnedStaging implements AutoCloseable {
    static final long HALF_BYTES = 8L << 20;

    private final CUstream_st stream;
    private final List<Half> halves = new ArrayList<>();
    private int next;

    /** Pinned memory, and the event that says that the GPU is done with it. */
    private static final class Half implements AutoCloseable {
        private final Pointer pinned = new Pointer();
        private final CUevent_st done = new CUevent_st();
        private final MemorySegment bytes;

        Half(long size) {
            check(cuMemHostAlloc(pinned, size, 0), size + " bytes of pinned memory cannot be allocated");
            bytes = MemorySegment.ofAddress(pinned.address()).reinterpret(size);
            int created = cuEventCreate(done, CU_EVENT_DISABLE_TIMING);
            if (created != 0) {
                cuMemFreeHost(pinned);
                check(created, "an event cannot be created");
            }
        }

        void await(String what) {
            check(cuEventSynchronize(done), what);
        }

        @Override
        public void close() {
            cuEventDestroy(done);
            cuMemFreeHost(pinned);
        }
    }

    /** @param most bytes of the longest copy; longer ones go in pieces */
    PinnedStaging(CUstream_st stream, long most) {
        this.stream = stream;
        long size = Math.min(HALF_BYTES, Math.max(most, Long.BYTES));
        try {
            halves.add(new Half(size));
            halves.add(new Half(size));
        } catch (DeviceException e) {
            close();
            throw e;
        }
    }

    private Half take() {
        next = 1 - next;
        return halves.get(next);
    }

    /** Copies to the GPU; {@code source} is free at once, the copy takes its turn in the stream. */
    void write(MemorySegment source, long address) {
        String what = "memory of the GPU cannot be written";
        for (long at = 0; at < source.byteSize(); ) {
            Half half = take();
            long bytes = Math.min(half.bytes.byteSize(), source.byteSize() - at);
            half.await(what);
            MemorySegment.copy(source, at, half.bytes, 0, bytes);
            check(cuMemcpyHtoDAsync(address + at, half.pinned, bytes, stream), what);
            check(cuEventRecord(half.done, stream), what);
            at += bytes;
        }
    }

    /** Copies from the GPU, after what is in the stream, and waits. */
    void read(long address, MemorySegment target) {
        String what = "memory of the GPU cannot be read";
        long asked = 0;
        long copied = 0;
        while (copied < target.byteSize()) {
            // One piece is on its way while the one before is taken out of the other half.
            while (asked < target.byteSize() && asked - copied < 2 * pieceBytes()) {
                Half half = take();
                long bytes = Math.min(pieceBytes(), target.byteSize() - asked);
                half.await(what);
                check(cuMemcpyDtoHAsync(half.pinned, address + asked, bytes, stream), what);
                check(cuEventRecord(half.done, stream), what);
                asked += bytes;
            }
            boolean isBoth = asked - copied > pieceBytes();
            Half oldest = halves.get(isBoth ? 1 - next : next);
            long bytes = Math.min(pieceBytes(), target.byteSize() - copied);
            oldest.await(what);
            MemorySegment.copy(oldest.bytes, 0, target, copied, bytes);
            copied += bytes;
        }
    }

    private long pieceBytes() {
        return halves.getFirst().bytes.byteSize();
    }

    @Override
    public void close() {
        halves.forEach(Half::close);
    }
}
