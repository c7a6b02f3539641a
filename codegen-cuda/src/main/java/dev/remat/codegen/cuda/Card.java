package dev.remat.codegen.cuda;

import dev.remat.ir.target.DeviceSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * GPUs whose rates are known, as their vendor publishes them: dense, without sparsity, f32 products in tf32 where there
 * are tensor cores for it.
 */
public enum Card {
    /** SXM, 80 GB. */
    A100("a100", 156e12, 312e12, 2.039e12),
    RTX3090("rtx3090", 35.6e12, 71.2e12, 0.936e12),
    RTX4090("rtx4090", 82.6e12, 165.2e12, 1.008e12),
    /** SXM. */
    H100("h100", 494.7e12, 989.4e12, 3.35e12),
    /** SXM. */
    H200("h200", 494.7e12, 989.4e12, 4.8e12),
    B200("b200", 1.1e15, 2.25e15, 8e12);

    /** A launch inside a CUDA graph. */
    private static final double LAUNCH_NANOS = 1300;

    private final DeviceSpec device;

    Card(String label, double flops, double narrowFlops, double bytes) {
        this.device = DeviceSpec.of(label, flops, narrowFlops, bytes, LAUNCH_NANOS);
    }

    /** As users write it: {@code h100}. */
    public String label() {
        return device.name();
    }

    public DeviceSpec device() {
        return device;
    }

    public static Optional<Card> ofLabel(String label) {
        return Arrays.stream(values())
                .filter(card -> card.label().equals(label))
                .findFirst();
    }

    public static List<String> labels() {
        return Arrays.stream(values()).map(Card::label).toList();
    }
}
