package dev.remat.ir.target;

import java.util.Comparator;
import java.util.List;

/**
 * Kernel times measured on a device.
 *
 * @param target what the kernels were planned for, such as {@code cpu}
 * @param device rates measured beside the kernels
 * @param kernels by key, each once
 */
public record KernelProfile(String target, DeviceSpec device, List<KernelTime> kernels) {
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
