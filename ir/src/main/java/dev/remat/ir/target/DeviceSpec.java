package dev.remat.ir.target;

import dev.remat.ir.DType;

/**
 * What a roofline needs to know of a device.
 *
 * @param flopsPerSecond rate of dense arithmetic in 32 bits and more
 * @param narrowFlopsPerSecond rate of dense arithmetic on 16-bit floats
 * @param bytesPerSecond memory bandwidth, reads and writes together
 * @param launchNanos fixed time of a kernel
 */
public record DeviceSpec(
        String name, double flopsPerSecond, double narrowFlopsPerSecond, double bytesPerSecond, double launchNanos) {
    public DeviceSpec {
        if (!(flopsPerSecond > 0) || !(narrowFlopsPerSecond > 0) || !(bytesPerSecond > 0) || launchNanos < 0) {
            throw new IllegalArgumentException("rates of " + name + " must be positive");
        }
    }

    public double flopsPerSecond(DType dtype) {
        return dtype.isFloat() && dtype.bytes() == 2 ? narrowFlopsPerSecond : flopsPerSecond;
    }
}
