package dev.remat.runtime.cuda;

import static org.bytedeco.cuda.global.cudart.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR;
import static org.bytedeco.cuda.global.cudart.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR;
import static org.bytedeco.cuda.global.cudart.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
import static org.bytedeco.cuda.global.cudart.cuDeviceGet;
import static org.bytedeco.cuda.global.cudart.cuDeviceGetAttribute;
import static org.bytedeco.cuda.global.cudart.cuDeviceGetCount;
import static org.bytedeco.cuda.global.cudart.cuDeviceGetName;
import static org.bytedeco.cuda.global.cudart.cuDeviceTotalMem;
import static org.bytedeco.cuda.global.cudart.cuDriverGetVersion;
import static org.bytedeco.cuda.global.cudart.cuGetErrorName;
import static org.bytedeco.cuda.global.cudart.cuGetErrorString;
import static org.bytedeco.cuda.global.cudart.cuInit;

import dev.remat.ir.artifact.CudaVersion;
import dev.remat.ir.natives.NativeLibraries;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.javacpp.SizeTPointer;

/** The CUDA driver of this machine, loaded and started once a process, when a GPU is asked for. */
public final class CudaDriver {
    private static final String LIBRARY = "libcuda.so.1";
    private static final int NAME_BYTES = 256;

    /** The presets look a function up when it is first called, and end the process where there is none. */
    private static final List<String> FUNCTIONS = List.of(
            "cuCtxPopCurrent_v2",
            "cuCtxPushCurrent_v2",
            "cuDeviceGet",
            "cuDeviceGetAttribute",
            "cuDeviceGetCount",
            "cuDeviceGetName",
            "cuDevicePrimaryCtxRelease_v2",
            "cuDevicePrimaryCtxRetain",
            "cuDeviceTotalMem_v2",
            "cuDriverGetVersion",
            "cuEventCreate",
            "cuEventDestroy_v2",
            "cuEventElapsedTime_v2",
            "cuEventRecord",
            "cuEventRecordWithFlags",
            "cuEventSynchronize",
            "cuFuncSetAttribute",
            "cuGetErrorName",
            "cuGetErrorString",
            "cuGraphDestroy",
            "cuGraphExecDestroy",
            "cuGraphInstantiateWithFlags",
            "cuGraphLaunch",
            "cuGraphUpload",
            "cuInit",
            "cuLaunchKernel",
            "cuMemAlloc_v2",
            "cuMemFreeHost",
            "cuMemFree_v2",
            "cuMemGetInfo_v2",
            "cuMemHostAlloc",
            "cuMemcpyDtoHAsync_v2",
            "cuMemcpyHtoDAsync_v2",
            "cuMemsetD32Async",
            "cuMemsetD8Async",
            "cuModuleGetFunction",
            "cuModuleLoadData",
            "cuModuleUnload",
            "cuStreamBeginCapture_v2",
            "cuStreamCreate",
            "cuStreamDestroy_v2",
            "cuStreamEndCapture",
            "cuStreamSynchronize",
            "cuStreamWaitEvent");

    private static Optional<CudaDriver> loaded = Optional.empty();

    private final CudaVersion version;

    private CudaDriver(CudaVersion version) {
        this.version = version;
    }

    /**
     * The driver.
     *
     * @throws DeviceException if there is none, or it cannot start
     * @throws dev.remat.ir.natives.LibraryUnavailableException if what calls it cannot be loaded
     */
    public static synchronized CudaDriver load() {
        if (loaded.isEmpty()) {
            SymbolLookup symbols = open();
            CudaLibraries.load();
            check(cuInit(0), "the CUDA driver cannot start");
            int[] version = new int[1];
            check(cuDriverGetVersion(version), "the CUDA driver does not tell its version");
            CudaDriver driver = new CudaDriver(new CudaVersion(version[0]));
            driver.demandFunctions(symbols);
            loaded = Optional.of(driver);
        }
        return loaded.get();
    }

    /** What stands between Java and the driver, loaded with it. */
    public static List<NativeLibraries> libraries() {
        return List.of(CudaLibraries.JAVACPP, CudaLibraries.PRESETS);
    }

    private static SymbolLookup open() {
        SymbolLookup symbols;
        try {
            symbols = SymbolLookup.libraryLookup(LIBRARY, Arena.global());
        } catch (IllegalArgumentException e) {
            throw new DeviceException(
                    "there is no CUDA driver on this machine: " + LIBRARY + " cannot be loaded; without --device models"
                            + " run on the CPU",
                    e);
        }
        for (String function : List.of("cuInit", "cuDriverGetVersion", "cuGetErrorName", "cuGetErrorString")) {
            if (symbols.find(function).isEmpty()) {
                throw new DeviceException(LIBRARY + " is no CUDA driver: it has no function " + function);
            }
        }
        return symbols;
    }

    private void demandFunctions(SymbolLookup symbols) {
        for (String function : FUNCTIONS) {
            if (symbols.find(function).isEmpty()) {
                throw new DeviceException("the CUDA driver, for CUDA " + version + ", is too old: it has no " + function
                        + "; install a newer one");
            }
        }
    }

    /** The newest version of CUDA that it supports. */
    public CudaVersion version() {
        return version;
    }

    /**
     * Why the code that a compiler makes cannot run, if that is so: code runs on drivers of its major version of CUDA,
     * and on later ones.
     *
     * @param compiler which NVRTC: {@code 13.1-8c1f60be}
     */
    public Optional<String> obstacle(String compiler) {
        return CudaVersion.ofCompiler(compiler)
                .filter(made -> made.major() > version.major())
                .map(made -> "the CUDA driver supports CUDA " + version + ", and kernels are compiled by CUDA " + made
                        + "; install a driver for CUDA " + made.major() + " or later");
    }

    /** All that it offers, in its order. */
    public List<Gpu> gpus() {
        int[] count = new int[1];
        check(cuDeviceGetCount(count), "GPUs cannot be counted");
        List<Gpu> gpus = new ArrayList<>();
        for (int ordinal = 0; ordinal < count[0]; ordinal++) {
            gpus.add(ask(ordinal));
        }
        return gpus;
    }

    /**
     * One GPU.
     *
     * @throws DeviceException if there is none of that number
     */
    public Gpu gpu(int ordinal) {
        List<Gpu> gpus = gpus();
        if (ordinal >= gpus.size()) {
            throw new DeviceException(
                    gpus.isEmpty()
                            ? "the CUDA driver offers no GPU"
                            : "there is no GPU " + ordinal + "; the CUDA driver offers 0"
                                    + (gpus.size() == 1 ? "" : " to " + (gpus.size() - 1)));
        }
        return gpus.get(ordinal);
    }

    /** Shared memory that a block may have, where a kernel asks for it. */
    int sharedBytesOfBlock(Gpu gpu) {
        int[] bytes = new int[1];
        check(
                cuDeviceGetAttribute(
                        bytes, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, handle(gpu.ordinal())),
                "GPU " + gpu.ordinal() + " cannot be asked");
        return bytes[0];
    }

    /** Bytes of its memory that nobody has taken. */
    public long freeBytes(Gpu gpu) {
        try (GpuContext context = GpuContext.open(gpu)) {
            return context.freeBytes();
        }
    }

    private static Gpu ask(int ordinal) {
        int device = handle(ordinal);
        String what = "GPU " + ordinal + " cannot be asked";
        byte[] name = new byte[NAME_BYTES];
        check(cuDeviceGetName(name, name.length, device), what);
        int length = 0;
        while (length < name.length && name[length] != 0) {
            length++;
        }
        try (SizeTPointer bytes = new SizeTPointer(1)) {
            check(cuDeviceTotalMem(bytes, device), what);
            int[] major = new int[1];
            int[] minor = new int[1];
            check(cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device), what);
            check(cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device), what);
            String text = new String(name, 0, length, StandardCharsets.UTF_8);
            return new Gpu(ordinal, text, 10 * major[0] + minor[0], bytes.get());
        }
    }

    /** What the driver calls a GPU. */
    static int handle(int ordinal) {
        int[] device = new int[1];
        check(cuDeviceGet(device, ordinal), "GPU " + ordinal + " cannot be used");
        return device[0];
    }

    /** @throws DeviceException if a function of the driver has not returned 0, with {@code what} and its error */
    static void check(int result, String what) {
        if (result != 0) {
            throw new DeviceException(what + ": " + error(result));
        }
    }

    /** {@code unspecified launch failure (CUDA_ERROR_LAUNCH_FAILED, 719)}. */
    static String error(int result) {
        try (PointerPointer<?> text = new PointerPointer<>(1);
                PointerPointer<?> name = new PointerPointer<>(1)) {
            boolean isKnown = cuGetErrorString(result, text) == 0 && cuGetErrorName(result, name) == 0;
            return isKnown
                    ? text.getString(0) + " (" + name.getString(0) + ", " + result + ")"
                    : "unknown error " + result;
        }
    }
}
