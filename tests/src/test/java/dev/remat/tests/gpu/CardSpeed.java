package dev.remat.tests.gpu;

import static org.bytedeco.cuda.global.cudart.CU_DEVICE_ATTRIBUTE_CLOCK_RATE;
import static org.bytedeco.cuda.global.cudart.CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH;
import static org.bytedeco.cuda.global.cudart.CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE;
import static org.bytedeco.cuda.global.cudart.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
import static org.bytedeco.cuda.global.cudart.CU_STREAM_NON_BLOCKING;
import static org.bytedeco.cuda.global.cudart.cuCtxPopCurrent;
import static org.bytedeco.cuda.global.cudart.cuCtxPushCurrent;
import static org.bytedeco.cuda.global.cudart.cuDeviceGet;
import static org.bytedeco.cuda.global.cudart.cuDeviceGetAttribute;
import static org.bytedeco.cuda.global.cudart.cuDevicePrimaryCtxRelease;
import static org.bytedeco.cuda.global.cudart.cuDevicePrimaryCtxRetain;
import static org.bytedeco.cuda.global.cudart.cuMemAlloc;
import static org.bytedeco.cuda.global.cudart.cuMemFree;
import static org.bytedeco.cuda.global.cudart.cuMemFreeHost;
import static org.bytedeco.cuda.global.cudart.cuMemHostAlloc;
import static org.bytedeco.cuda.global.cudart.cuMemcpyDtoDAsync;
import static org.bytedeco.cuda.global.cudart.cuMemcpyDtoHAsync;
import static org.bytedeco.cuda.global.cudart.cuMemcpyHtoDAsync;
import static org.bytedeco.cuda.global.cudart.cuStreamCreate;
import static org.bytedeco.cuda.global.cudart.cuStreamDestroy;
import static org.bytedeco.cuda.global.cudart.cuStreamSynchronize;

import dev.remat.runtime.cuda.DeviceException;
import dev.remat.runtime.cuda.Gpu;
import java.util.function.IntSupplier;
import org.bytedeco.cuda.cudart.CUctx_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.Pointer;

/**
 * What a card gives at most, in GB/s and TFLOP/s, so that kernels can be held against it.
 *
 * @param toDevice copies from pinned memory of the host, measured
 * @param toHost and to it
 * @param copy copies within the card's memory, measured; each byte is read and written
 * @param memory what the memory's clock and width allow
 * @param products of 16-bit floats, dense, at the highest clock
 */
record CardSpeed(double toDevice, double toHost, double copy, double memory, double products) {
    private static final long HOST_BYTES = 64L << 20;
    private static final int REPEATS = 5;
    /** Copies of this much of the card's memory do not fit its caches. */
    private static final long DEVICE_SHARE = 64;

    private static final double KILO = 1e3;
    private static final double BITS_OF_BYTE = 8;

    /** Measures. */
    static CardSpeed of(Gpu gpu) {
        int[] device = new int[1];
        check(cuDeviceGet(device, gpu.ordinal()));
        CUctx_st context = new CUctx_st();
        check(cuDevicePrimaryCtxRetain(context, device[0]));
        CUstream_st stream = new CUstream_st();
        Pointer host = new Pointer();
        long[] memory = new long[2];
        long bytes = Math.max(HOST_BYTES, gpu.memoryBytes() / DEVICE_SHARE);
        try {
            check(cuCtxPushCurrent(context));
            check(cuStreamCreate(stream, CU_STREAM_NON_BLOCKING));
            check(cuMemHostAlloc(host, HOST_BYTES, 0));
            for (int i = 0; i < memory.length; i++) {
                long[] one = new long[1];
                check(cuMemAlloc(one, bytes));
                memory[i] = one[0];
            }
            return new CardSpeed(
                    rate(stream, HOST_BYTES, () -> cuMemcpyHtoDAsync(memory[0], host, HOST_BYTES, stream)),
                    rate(stream, HOST_BYTES, () -> cuMemcpyDtoHAsync(host, memory[0], HOST_BYTES, stream)),
                    2 * rate(stream, bytes, () -> cuMemcpyDtoDAsync(memory[1], memory[0], bytes, stream)),
                    memoryLimit(device[0]),
                    productLimit(device[0], gpu.capability()));
        } finally {
            for (long address : memory) {
                if (address != 0) {
                    cuMemFree(address);
                }
            }
            if (!host.isNull()) {
                cuMemFreeHost(host);
            }
            if (!stream.isNull()) {
                cuStreamDestroy(stream);
            }
            cuCtxPopCurrent(new CUctx_st());
            cuDevicePrimaryCtxRelease(device[0]);
        }
    }

    /** The best of some copies, in GB/s. */
    private static double rate(CUstream_st stream, long bytes, IntSupplier copy) {
        double best = 0;
        for (int i = 0; i < REPEATS; i++) {
            long start = System.nanoTime();
            check(copy.getAsInt());
            check(cuStreamSynchronize(stream));
            best = Math.max(best, (double) bytes / (System.nanoTime() - start));
        }
        return best;
    }

    /** Both edges of the clock move the bus's bits. */
    private static double memoryLimit(int device) {
        double kilohertz = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, device);
        double bits = attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, device);
        return 2 * kilohertz * bits / BITS_OF_BYTE * KILO / 1e9;
    }

    private static double productLimit(int device, int capability) {
        double kilohertz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE, device);
        return attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device)
                * kilohertz
                * KILO
                * operationsOfCycle(capability)
                / 1e12;
    }

    /** Of one multiprocessor's tensor cores, as NVIDIA's descriptions of the architectures tell; 0 if unknown. */
    private static double operationsOfCycle(int capability) {
        return switch (capability) {
            case 80 -> 2048;
            case 86, 89 -> 1024;
            case 90 -> 4096;
            case 100 -> 8192;
            default -> 0;
        };
    }

    private static int attribute(int attribute, int device) {
        int[] value = new int[1];
        check(cuDeviceGetAttribute(value, attribute, device));
        return value[0];
    }

    private static void check(int result) {
        if (result != 0) {
            throw new DeviceException("the card's speed cannot be measured: CUDA error " + result);
        }
    }
}
