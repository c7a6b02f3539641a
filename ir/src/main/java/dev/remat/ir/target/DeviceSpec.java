package dev.remat.ir.target;

import dev.remat.ir.DType;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/**
 * What a roofline needs to know of a device.
 *
 * @param flopsPerSecond rates of dense arithmetic by type, that of f32 among them, which serves all that are not listed
 * @param bytesPerSecond memory bandwidth, reads and writes together
 * @param launchNanos fixed time of a kernel, not negative
 */
public record DeviceSpec(
        String name, SequencedMap<DType, Double> flopsPerSecond, double bytesPerSecond, double launchNanos) {
    public DeviceSpec {
        flopsPerSecond = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(flopsPerSecond));
        if (!flopsPerSecond.containsKey(DType.F32)) {
            throw new IllegalArgumentException("the rate of f32 is missing");
        }
        for (Map.Entry<DType, Double> rate : flopsPerSecond.entrySet()) {
            requirePositive("the rate of " + rate.getKey().label(), rate.getValue());
        }
        requirePositive("the memory bandwidth", bytesPerSecond);
        if (!(launchNanos >= 0) || Double.isInfinite(launchNanos)) {
            throw new IllegalArgumentException("the time of a launch must not be negative, as " + launchNanos + " is");
        }
    }

    /** A device with one rate for 16-bit floats and another for all else. */
    public static DeviceSpec of(
            String name,
            double flopsPerSecond,
            double narrowFlopsPerSecond,
            double bytesPerSecond,
            double launchNanos) {
        SequencedMap<DType, Double> rates = new LinkedHashMap<>();
        rates.put(DType.F32, flopsPerSecond);
        rates.put(DType.F16, narrowFlopsPerSecond);
        rates.put(DType.BF16, narrowFlopsPerSecond);
        return new DeviceSpec(name, rates, bytesPerSecond, launchNanos);
    }

    private static void requirePositive(String what, double rate) {
        if (!(rate > 0) || Double.isInfinite(rate)) {
            throw new IllegalArgumentException(what + " must be a positive number, not " + rate);
        }
    }

    public DeviceSpec named(String other) {
        return new DeviceSpec(other, flopsPerSecond, bytesPerSecond, launchNanos);
    }

    public double flopsPerSecond(DType dtype) {
        return flopsPerSecond.getOrDefault(dtype, flopsPerSecond.get(DType.F32));
    }
}
