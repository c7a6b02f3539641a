package dev.remat.ir.target;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Kernel times measured on a device, or predicted for one.
 *
 * @param target what the kernels were planned for, such as {@code cpu}
 * @param device rates measured beside the kernels, or those that its vendor publishes
 * @param predictor the model that predicted the times; empty where they were measured
 * @param kernels by key, each once
 */
public record KernelProfile(String target, DeviceSpec device, Optional<String> predictor, List<KernelTime> kernels) {
    /** Measured times. */
    public KernelProfile(String target, DeviceSpec device, List<KernelTime> kernels) {
        this(target, device, Optional.empty(), kernels);
    }

    public KernelProfile {
        kernels = kernels.stream().sorted(Comparator.comparing(KernelTime::key)).toList();
        for (int k = 1; k < kernels.size(); k++) {
            if (kernels.get(k).key().equals(kernels.get(k - 1).key())) {
                throw new IllegalArgumentException(
                        "two times for the kernel " + kernels.get(k).key());
            }
        }
    }
}
