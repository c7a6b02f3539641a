package dev.remat.ir.target;

import java.util.Optional;

/** What a file with costs holds: a device's rates, or times measured on one. */
public sealed interface CostFile {
    /** {@code remat-device/1}. */
    record Device(DeviceSpec device) implements CostFile {}

    /**
     * {@code remat-profile/1}, or {@code /2} where it says what joins ranks.
     *
     * @param joins ranks, if that was measured
     */
    record Profile(KernelProfile profile, Optional<Link> joins) implements CostFile {
        /** Of kernels alone. */
        public Profile(KernelProfile profile) {
            this(profile, Optional.empty());
        }

        /** @throws IllegalArgumentException if a predicted profile has a link */
        public Profile {
            if (profile.predictor().isPresent() && joins.isPresent()) {
                throw new IllegalArgumentException("a prediction of kernels says nothing of a link");
            }
        }

        @Override
        public Optional<Link> link() {
            return joins;
        }

        @Override
        public DeviceSpec device() {
            return profile.device();
        }
    }

    DeviceSpec device();

    /** What joins ranks, if the file says so. */
    default Optional<Link> link() {
        return Optional.empty();
    }
}
