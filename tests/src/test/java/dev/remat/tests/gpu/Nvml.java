package dev.remat.tests.gpu;

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

/** What the driver's management library tells of a GPU, where that library is: clocks, power, heat, memory. */
final class Nvml implements AutoCloseable {
    private static final String LIBRARY = "libnvidia-ml.so.1";
    private static final int MULTIPROCESSORS = 1;
    private static final int MEMORY = 2;
    private static final int OF_THE_GPU = 0;
    /** Reasons that are none: it is idle, or somebody chose the clocks. */
    private static final long HARMLESS = 0x1 | 0x2 | 0x100;

    private final Arena owner = Arena.ofConfined();
    private final SymbolLookup symbols;
    private final MemorySegment device;

    /**
     * A moment.
     *
     * @param megahertz of multiprocessors
     * @param memoryMegahertz of the memory
     * @param throttled a bit for each reason for which clocks are lower than they could be
     * @param usedBytes of the GPU's memory, by whomever
     */
    record Reading(int megahertz, int memoryMegahertz, int milliwatts, int degrees, long throttled, long usedBytes) {
        /** {@code 1755 MHz, memory 2619 MHz, 412 W, 55 °C, 1,204 MiB used, throttled (0x4)}. */
        @Override
        public String toString() {
            return "%d MHz, memory %d MHz, %d W, %d C, %,d MiB used%s"
                    .formatted(
                            megahertz,
                            memoryMegahertz,
                            milliwatts / 1000,
                            degrees,
                            usedBytes >> 20,
                            (throttled & ~HARMLESS) == 0
                                    ? ""
                                    : ", throttled (0x" + Long.toHexString(throttled & ~HARMLESS) + ")");
        }
    }

    private Nvml(int ordinal) {
        symbols = SymbolLookup.libraryLookup(LIBRARY, owner);
        call("nvmlInit_v2");
        MemorySegment handle = owner.allocate(ADDRESS);
        call("nvmlDeviceGetHandleByIndex_v2", ordinal, handle);
        device = handle.get(ADDRESS, 0);
    }

    /** Nothing where there is no such library, or it does not know the GPU. */
    static Optional<Nvml> open(int ordinal) {
        try {
            return Optional.of(new Nvml(ordinal));
        } catch (IllegalArgumentException | IllegalStateException _) {
            return Optional.empty();
        }
    }

    Reading read() {
        MemorySegment memory = owner.allocate(JAVA_LONG, 3);
        call("nvmlDeviceGetMemoryInfo", device, memory);
        return new Reading(
                number("nvmlDeviceGetClockInfo", MULTIPROCESSORS),
                number("nvmlDeviceGetClockInfo", MEMORY),
                number("nvmlDeviceGetPowerUsage"),
                number("nvmlDeviceGetTemperature", OF_THE_GPU),
                reasons(),
                memory.getAtIndex(JAVA_LONG, 2));
    }

    private int number(String function, Object... arguments) {
        MemorySegment value = owner.allocate(JAVA_INT);
        List<Object> all = new ArrayList<>(List.of(device));
        all.addAll(List.of(arguments));
        all.add(value);
        call(function, all.toArray());
        return value.get(JAVA_INT, 0);
    }

    private long reasons() {
        MemorySegment value = owner.allocate(JAVA_LONG);
        call("nvmlDeviceGetCurrentClocksThrottleReasons", device, value);
        return value.get(JAVA_LONG, 0);
    }

    /** @throws IllegalStateException if the function is missing or fails */
    private void call(String function, Object... arguments) {
        MemoryLayout[] layouts = new MemoryLayout[arguments.length];
        for (int i = 0; i < arguments.length; i++) {
            layouts[i] = arguments[i] instanceof Integer ? JAVA_INT : ADDRESS;
        }
        MemorySegment address =
                symbols.find(function).orElseThrow(() -> new IllegalStateException(LIBRARY + " has no " + function));
        try {
            int result = (int) Linker.nativeLinker()
                    .downcallHandle(address, FunctionDescriptor.of(JAVA_INT, layouts))
                    .invokeWithArguments(arguments);
            if (result != 0) {
                throw new IllegalStateException(function + " has failed: " + result);
            }
        } catch (IllegalStateException e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(function + " cannot be called", e);
        }
    }

    @Override
    public void close() {
        owner.close();
    }
}
