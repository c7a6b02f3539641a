package dev.remat.runtime.profile;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Unary;
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
    /** Side of the matrices: their product takes far longer than reading them. */
    private static final int SIDE = 768;
    /** Elements of f32 streamed: no cache holds them. */
    private static final int STREAMED = 1 << 24;

    private static final double NANOS_PER_SECOND = 1e9;

    private MeasureRates() {}

    /** Rates with the threads of {@code options}, after which the device is named. */
    public static DeviceSpec run(CpuExecutable.Options options) {
        double launch = nanos(new Unary(Unary.Kind.NEG), List.of(TensorType.of(DType.F32, 1)), options);
        TensorType stream = TensorType.of(DType.F32, STREAMED);
        double streaming = nanos(new Unary(Unary.Kind.NEG), List.of(stream), options);
        SequencedMap<DType, Double> rates = new LinkedHashMap<>();
        for (DType dtype : List.of(DType.F32, DType.F64, DType.BF16, DType.F16)) {
            TensorType matrix = TensorType.of(dtype, SIDE, SIDE);
            double product = nanos(new MatMul(false, false), List.of(matrix, matrix), options);
            rates.put(dtype, rate(2.0 * SIDE * SIDE * SIDE, product));
        }
        String name = "cpu-with-" + options.threads() + (options.threads() == 1 ? "-thread" : "-threads");
        return new DeviceSpec(name, rates, rate(2.0 * stream.bytes(), streaming), launch);
    }

    /** Per second and to three digits, as far as a measurement goes. */
    private static double rate(double amount, double nanos) {
        return new BigDecimal(amount / nanos * NANOS_PER_SECOND)
                .round(new MathContext(3))
                .doubleValue();
    }

    private static long nanos(Op op, List<TensorType> operands, CpuExecutable.Options options) {
        List<Long> times = new ArrayList<>();
        try (CpuExecutable executable = KernelTrial.of(op, operands, options)) {
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
