package dev.remat.ir.target;

import dev.remat.ir.DType;
import java.util.Optional;

/**
 * The slower of arithmetic and memory traffic, plus the launch, in nanoseconds (Williams, Waterman and Patterson,
 * 2009).
 */
public record RooflineCost(DeviceSpec device) implements CostModel {
    private static final double NANOS_PER_SECOND = 1e9;

    @Override
    public String name() {
        return "roofline:" + device.name();
    }

    @Override
    public Optional<CostFile> file() {
        return Optional.of(new CostFile.Device(device));
    }

    @Override
    public long cost(KernelWork work) {
        return Math.max(
                1, Math.round(nanos(work.flops(), work.bytes(), work.signature().dtype())));
    }

    /** @param dtype what the arithmetic is done in */
    public double nanos(long flops, long bytes, DType dtype) {
        double seconds = Math.max(flops / device.flopsPerSecond(dtype), bytes / device.bytesPerSecond());
        return seconds * NANOS_PER_SECOND + device.launchNanos();
    }
}
