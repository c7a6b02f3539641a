package dev.remat.runtime.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the CUDA driver says about itself and its GPUs.
 *
 * @param version the newest CUDA version it supports, such as {@code 12.8}; empty if it cannot be initialised
 * @param problem why the driver cannot be used, empty if it can
 */
public record CudaDriver(String version, List<Gpu> gpus, String problem) {
    private static final int NAME_BYTES = 256;
    private static final int COMPUTE_CAPABILITY_MAJOR = 75;
    private static final int COMPUTE_CAPABILITY_MINOR = 76;

    public CudaDriver {
        gpus = List.copyOf(gpus);
    }

    /** Loads the driver library if this machine has one. */
    public static Optional<CudaDriver> find() {
        try (Arena arena = Arena.ofConfined()) {
            for (String library : List.of("libcuda.so.1", "libcuda.so", "nvcuda.dll")) {
                Optional<CudaDriver> found = find(library, arena);
                if (found.isPresent()) {
                    return found;
                }
            }
            return Optional.empty();
        }
    }

    private static Optional<CudaDriver> find(String library, Arena arena) {
        SymbolLookup symbols;
        try {
            symbols = SymbolLookup.libraryLookup(library, Arena.global());
        } catch (IllegalArgumentException e) {
            // The platform has no library of this name, which is the answer.
            return Optional.empty();
        }
        Calls calls = new Calls(symbols, arena);
        int initialised = calls.call("cuInit", List.of(JAVA_INT), 0);
        if (initialised != 0) {
            return Optional.of(new CudaDriver("", List.of(), "cuInit failed with error " + initialised));
        }
        int version = calls.readInt("cuDriverGetVersion");
        List<Gpu> gpus = new ArrayList<>();
        int count = calls.readInt("cuDeviceGetCount");
        for (int i = 0; i < count; i++) {
            gpus.add(calls.gpu(i));
        }
        return Optional.of(new CudaDriver(version / 1000 + "." + version % 1000 / 10, gpus, ""));
    }

    /** Calls into the driver; every function returns an error code, 0 for success. */
    private record Calls(SymbolLookup symbols, Arena arena) {
        int call(String function, List<MemoryLayout> parameters, Object... arguments) {
            FunctionDescriptor type = FunctionDescriptor.of(JAVA_INT, parameters.toArray(MemoryLayout[]::new));
            try {
                return (int) Linker.nativeLinker()
                        .downcallHandle(symbols.findOrThrow(function), type)
                        .invokeWithArguments(arguments);
            } catch (Throwable e) {
                throw new IllegalStateException("the CUDA driver's " + function + " cannot be called", e);
            }
        }

        int readInt(String function) {
            MemorySegment result = arena.allocate(JAVA_INT);
            call(function, List.of(ADDRESS), result);
            return result.get(JAVA_INT, 0);
        }

        Gpu gpu(int ordinal) {
            MemorySegment number = arena.allocate(JAVA_INT);
            MemorySegment name = arena.allocate(NAME_BYTES);
            MemorySegment bytes = arena.allocate(JAVA_LONG);
            call("cuDeviceGet", List.of(ADDRESS, JAVA_INT), number, ordinal);
            int device = number.get(JAVA_INT, 0);
            call("cuDeviceGetName", List.of(ADDRESS, JAVA_INT, JAVA_INT), name, NAME_BYTES, device);
            call("cuDeviceTotalMem_v2", List.of(ADDRESS, JAVA_INT), bytes, device);
            int major = attribute(COMPUTE_CAPABILITY_MAJOR, device);
            int minor = attribute(COMPUTE_CAPABILITY_MINOR, device);
            return new Gpu(name.getString(0), "sm_" + major + minor, bytes.get(JAVA_LONG, 0));
        }

        private int attribute(int attribute, int device) {
            MemorySegment value = arena.allocate(JAVA_INT);
            call("cuDeviceGetAttribute", List.of(ADDRESS, JAVA_INT, JAVA_INT), value, attribute, device);
            return value.get(JAVA_INT, 0);
        }
    }
}
