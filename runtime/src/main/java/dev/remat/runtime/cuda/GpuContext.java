package dev.remat.runtime.cuda;

import static dev.remat.runtime.cuda.CudaDriver.check;
import static org.bytedeco.cuda.global.cudart.CU_STREAM_NON_BLOCKING;
import static org.bytedeco.cuda.global.cudart.cuCtxPopCurrent;
import static org.bytedeco.cuda.global.cudart.cuCtxPushCurrent;
import static org.bytedeco.cuda.global.cudart.cuDevicePrimaryCtxRelease;
import static org.bytedeco.cuda.global.cudart.cuDevicePrimaryCtxRetain;
import static org.bytedeco.cuda.global.cudart.cuMemGetInfo;
import static org.bytedeco.cuda.global.cudart.cuStreamCreate;
import static org.bytedeco.cuda.global.cudart.cuStreamDestroy;
import static org.bytedeco.cuda.global.cudart.cuStreamSynchronize;

import org.bytedeco.cuda.cudart.CUctx_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.SizeTPointer;

/** A GPU's primary context, which libraries in this process share, with a stream that waits for no other. */
final class GpuContext implements AutoCloseable {
    private final Gpu gpu;
    private final int device;
    private final CUctx_st context = new CUctx_st();
    private final CUstream_st stream = new CUstream_st();

    private GpuContext(Gpu gpu) {
        this.gpu = gpu;
        this.device = CudaDriver.handle(gpu.ordinal());
    }

    static GpuContext open(Gpu gpu) {
        GpuContext opened = new GpuContext(gpu);
        check(cuDevicePrimaryCtxRetain(opened.context, opened.device), gpu.name() + " cannot be used");
        try (Current _ = opened.use()) {
            check(cuStreamCreate(opened.stream, CU_STREAM_NON_BLOCKING), "a stream cannot be created");
            return opened;
        } catch (DeviceException e) {
            cuDevicePrimaryCtxRelease(opened.device);
            throw e;
        }
    }

    /** The context is this thread's until it is closed. */
    interface Current extends AutoCloseable {
        @Override
        void close();
    }

    /** What calls the driver does so while it uses the context. */
    Current use() {
        check(cuCtxPushCurrent(context), "the context of " + gpu.name() + " cannot be used");
        return () -> cuCtxPopCurrent(new CUctx_st());
    }

    Gpu gpu() {
        return gpu;
    }

    CUstream_st stream() {
        return stream;
    }

    long freeBytes() {
        try (Current _ = use();
                SizeTPointer free = new SizeTPointer(1);
                SizeTPointer total = new SizeTPointer(1)) {
            check(cuMemGetInfo(free, total), "the memory of " + gpu.name() + " cannot be asked for");
            return free.get();
        }
    }

    /** Waits for everything in the stream; the error of what failed there, or 0. */
    int await() {
        return cuStreamSynchronize(stream);
    }

    /** A device that failed must not keep the host from going on, so errors are none here. */
    @Override
    public void close() {
        if (cuCtxPushCurrent(context) == 0) {
            cuStreamDestroy(stream);
            cuCtxPopCurrent(new CUctx_st());
        }
        cuDevicePrimaryCtxRelease(device);
    }
}
