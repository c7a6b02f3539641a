package dev.remat.runtime.cuda;

import static dev.remat.runtime.cuda.CudaDriver.check;
import static org.bytedeco.cuda.global.cudart.CUDA_ERROR_OUT_OF_MEMORY;
import static org.bytedeco.cuda.global.cudart.cuMemAlloc;
import static org.bytedeco.cuda.global.cudart.cuMemFree;
import static org.bytedeco.cuda.global.cudart.cuMemsetD32Async;
import static org.bytedeco.cuda.global.cudart.cuMemsetD8Async;

import dev.remat.ir.execution.ByteRange;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** An arena in the memory of a GPU, and the stream in which everything happens to it: what executables share. */
final class GpuArena implements AutoCloseable {
    /** All bits set is NaN in every floating dtype, and an id that no table has. */
    private static final byte POISON = (byte) 0xFF;

    /** The driver allocates nothing of no bytes. */
    private static final long SMALLEST_BYTES = 256;

    private final GpuContext context;
    private final long bytes;
    private final long address;
    private final PinnedStaging staging;
    /** What callers have read since the arena has last changed. */
    private Optional<Arena> copies = Optional.empty();

    private long highWater;

    private GpuArena(GpuContext context, long bytes) {
        this.context = context;
        this.bytes = bytes;
        this.address = allocate();
        try {
            this.staging = new PinnedStaging(context.stream(), bytes);
            check(cuMemsetD8Async(address, (byte) 0, bytes, context.stream()), "the arena cannot be zeroed");
        } catch (DeviceException e) {
            cuMemFree(address);
            throw e;
        }
    }

    /**
     * Allocates, zeroed.
     *
     * @throws DeviceMemoryException if the GPU has less free
     */
    static GpuArena allocate(Gpu gpu, long bytes) {
        GpuContext context = GpuContext.open(gpu);
        try (GpuContext.Current _ = context.use()) {
            return new GpuArena(context, Math.max(bytes, SMALLEST_BYTES));
        } catch (DeviceException | DeviceMemoryException e) {
            context.close();
            throw e;
        }
    }

    private long allocate() {
        long free = context.freeBytes();
        if (free < bytes) {
            throw new DeviceMemoryException(context.gpu(), bytes, free);
        }
        long[] allocated = new long[1];
        int result = cuMemAlloc(allocated, bytes);
        if (result == CUDA_ERROR_OUT_OF_MEMORY) {
            // Somebody was faster, or what is free lies in pieces.
            throw new DeviceMemoryException(context.gpu(), bytes, context.freeBytes());
        }
        check(result, "the arena of " + bytes + " bytes cannot be allocated");
        return allocated[0];
    }

    GpuContext context() {
        return context;
    }

    long bytes() {
        return bytes;
    }

    /** Of byte 0, on the GPU. */
    long address() {
        return address;
    }

    long highWater() {
        return highWater;
    }

    /** Kernels have received addresses up to {@code end}. */
    void reached(long end) {
        highWater = Math.max(highWater, end);
    }

    void write(long offset, MemorySegment source) {
        changes();
        try (GpuContext.Current _ = context.use()) {
            staging.write(source, place(offset, source.byteSize()));
        }
    }

    /** A copy that lives until the arena changes. */
    MemorySegment read(long offset, long length) {
        if (copies.isEmpty()) {
            copies = Optional.of(Arena.ofShared());
        }
        MemorySegment copy = copies.get().allocate(length, Long.BYTES);
        try (GpuContext.Current _ = context.use()) {
            staging.read(place(offset, length), copy);
        }
        return copy.asReadOnly();
    }

    /** What has been read is no longer what is there. */
    void changes() {
        copies.ifPresent(Arena::close);
        copies = Optional.empty();
    }

    /** Sets an i64, in the stream and without memory of the host. The context is the caller's. */
    void set(long offset, long value) {
        long place = place(offset, Long.BYTES);
        String what = "the step's number cannot be written";
        check(cuMemsetD32Async(place, (int) value, 1, context.stream()), what);
        check(cuMemsetD32Async(place + Integer.BYTES, (int) (value >>> Integer.SIZE), 1, context.stream()), what);
    }

    /** Fills a range with NaN, in the stream. The context is the caller's. */
    void poison(ByteRange range) {
        check(
                cuMemsetD8Async(place(range.offset(), range.bytes()), POISON, range.bytes(), context.stream()),
                "freed memory cannot be poisoned");
    }

    private long place(long offset, long length) {
        if (offset < 0 || length < 0 || offset > bytes - length) {
            throw new IndexOutOfBoundsException(length + " bytes at " + offset + " of an arena of " + bytes);
        }
        return address + offset;
    }

    @Override
    public void close() {
        changes();
        try (GpuContext.Current _ = context.use()) {
            context.await();
            staging.close();
            cuMemFree(address);
        }
        context.close();
    }
}
