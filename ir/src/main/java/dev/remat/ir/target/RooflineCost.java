package dev.remat.ir.target;

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
    public long cost(KernelWork work) {
        double arithmetic = work.flops() / device.flopsPerSecond(work.signature().dtype());
        double traffic = work.bytes() / device.bytesPerSecond();
        double nanos = Math.max(arithmetic, traffic) * NANOS_PER_SECOND + device.launchNanos();
        return Math.max(1, Math.round(nanos));
    }
}
