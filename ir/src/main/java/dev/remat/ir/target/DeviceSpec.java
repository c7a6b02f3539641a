package dev.remat.ir.target;

/**
 * What a roofline needs to know of a device.
 *
 * @param flopsPerSecond sustained rate of dense arithmetic
 * @param bytesPerSecond sustained memory bandwidth, reads and writes together
 * @param launchNanos fixed time of a kernel
 */
public record DeviceSpec(String name, double flopsPerSecond, double bytesPerSecond, double launchNanos) {
    public DeviceSpec {
        if (!(flopsPerSecond > 0) || !(bytesPerSecond > 0) || launchNanos < 0) {
            throw new IllegalArgumentException("rates of " + name + " must be positive");
        }
    }
}
