package dev.remat.ir.target;

/** What a file with costs holds: a device's rates, or times measured on one. */
public sealed interface CostFile {
    /** {@code remat-device/1}. */
    record Device(DeviceSpec device) implements CostFile {}

    /** {@code remat-profile/1}. */
    record Profile(KernelProfile profile) implements CostFile {
        @Override
        public DeviceSpec device() {
            return profile.device();
        }
    }

    DeviceSpec device();
}
