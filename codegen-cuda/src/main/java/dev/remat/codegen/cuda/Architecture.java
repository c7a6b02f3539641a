package dev.remat.codegen.cuda;

import dev.remat.ir.target.DeviceSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * GPU generations that plans can be made for, each with the rates of its usual card as its vendor publishes them: dense,
 * without sparsity, f32 products in tf32 where there are tensor cores for it.
 */
public enum Architecture {
    /** A100 SXM 80 GB. */
    SM_80("sm_80", 108, 1.41e9, 156e12, 312e12, 2.039e12),
    /** GeForce RTX 3090. */
    SM_86("sm_86", 82, 1.695e9, 35.6e12, 71.2e12, 0.936e12),
    /** GeForce RTX 4090. */
    SM_89("sm_89", 128, 2.52e9, 82.6e12, 165.2e12, 1.008e12),
    /** H100 SXM. */
    SM_90A("sm_90a", 132, 1.83e9, 494.7e12, 989.4e12, 3.35e12),
    /** B200. */
    SM_100A("sm_100a", 148, 1.85e9, 1.1e15, 2.25e15, 8e12);

    /** A launch inside a CUDA graph. */
    private static final double LAUNCH_NANOS = 1300;

    private final String label;
    private final int multiprocessors;
    private final double hertz;
    private final DeviceSpec device;

    Architecture(
            String label, int multiprocessors, double hertz, double flops, double narrowFlops, double bytes) {
        this.label = label;
        this.multiprocessors = multiprocessors;
        this.hertz = hertz;
        this.device = DeviceSpec.of(label, flops, narrowFlops, bytes, LAUNCH_NANOS);
    }

    /** As compilers name it: {@code sm_90a}. */
    public String label() {
        return label;
    }

    public DeviceSpec device() {
        return device;
    }

    /** How many blocks run side by side where each takes a multiprocessor to itself. */
    public int multiprocessors() {
        return multiprocessors;
    }

    /** Boost clock in cycles a second. */
    public double hertz() {
        return hertz;
    }

    public static Optional<Architecture> ofLabel(String label) {
        return Arrays.stream(values()).filter(a -> a.label.equals(label)).findFirst();
    }

    public static List<String> labels() {
        return Arrays.stream(values()).map(Architecture::label).toList();
    }
}
