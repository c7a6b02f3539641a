package dev.remat.runtime.profile;

import dev.remat.ir.DType;
import dev.remat.ir.target.DeviceSpec;
import dev.remat.runtime.cpu.CpuExecutable;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/**
 * The rates that this machine's CPU reaches: in a matrix product for each float type, a stream through memory, and a
 * kernel that does next to nothing. Each is taken from the fastest of several runs, for that is what a roofline means.
 */
public final class MeasureRates {
    private static final int WARM_UPS = 2;
    private static final int REPEATS = 8;
    private static final double NANOS_PER_SECOND = 1e9;

    private MeasureRates() {}

    /** Rates with the threads of {@code options}, after which the device is named. */
    public static DeviceSpec run(CpuExecutable.Options options) {
        double launch = nanos(KernelTrial.launch(options));
        double streaming = nanos(KernelTrial.stream(options));
        SequencedMap<DType, Double> rates = new LinkedHashMap<>();
        for (DType dtype : List.of(DType.F32, DType.F64, DType.BF16, DType.F16)) {
            double operations = 2.0 * KernelTrial.SIDE * KernelTrial.SIDE * KernelTrial.SIDE;
            rates.put(dtype, rate(operations, nanos(KernelTrial.product(dtype, options))));
        }
        int threads = options.crew().slots();
        String name = "cpu-with-" + threads + (threads == 1 ? "-thread" : "-threads");
        return new DeviceSpec(name, rates, rate(2.0 * KernelTrial.STREAM.bytes(), streaming), launch);
    }

    /** Per second and to three digits, as far as a measurement goes. */
    private static double rate(double amount, double nanos) {
        return new BigDecimal(amount / nanos * NANOS_PER_SECOND)
                .round(new MathContext(3))
                .doubleValue();
    }

    /** The fastest of several runs; closes what it runs. */
    private static long nanos(CpuExecutable kernel) {
        List<Long> times = new ArrayList<>();
        try (CpuExecutable executable = kernel) {
            for (int run = 0; run < WARM_UPS + REPEATS; run++) {
                if (run == WARM_UPS) {
                    executable.time((step, time) -> times.add(time));
                }
                executable.run(1);
            }
        }
        return Collections.min(times);
    }
}
