package dev.remat.ir.target;

import dev.remat.ir.TensorType;
import dev.remat.ir.op.Op;
import java.util.List;

/**
 * The slower of arithmetic and memory traffic, plus the launch, in nanoseconds (Williams, Waterman and Patterson,
 * 2009).
 */
public record RooflineCost(DeviceSpec device) implements CostModel {
    @Override
    public String name() {
        return "roofline:" + device.name();
    }

    @Override
    public long cost(long flops, long bytes, Op anchor, List<TensorType> results) {
        double seconds = Math.max(flops / rate(results), bytes / device.bytesPerSecond());
        return Math.max(1, Math.round(seconds * 1e9 + device.launchNanos()));
    }

    private double rate(List<TensorType> results) {
        return results.isEmpty() ? device.flopsPerSecond() : device.flopsPerSecond(results.getFirst().dtype());
    }
}
