package dev.remat.cli;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * GPUs whose memory can be named instead of written: what the driver reports as total, rounded down to a tenth of a
 * GiB, less {@link #RESERVE} for the context, the kernels' code, and what the driver keeps.
 */
enum DeviceMemory {
    T4("14.5"),
    V100_16GB("15.7"),
    V100_32GB("31.7"),
    A10("21.9"),
    L4("22.0"),
    RTX3090("23.6"),
    RTX4090("23.6"),
    RTX5090("31.3"),
    L40S("44.3"),
    A100_40GB("39.3"),
    A100_80GB("79.1"),
    /** The one that cost models mean by this name. */
    A100("79.1"),
    H100("79.1"),
    H200("139.7"),
    B200("178.3");

    /** Bytes left to the driver. */
    static final long RESERVE = 1L << 30;

    private final long total;

    DeviceMemory(String gibibytes) {
        total = new BigDecimal(gibibytes).multiply(BigDecimal.valueOf(1L << 30)).longValue();
    }

    /** As users write it: {@code a100-40gb}. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Bytes that an arena may take. */
    long usableBytes() {
        return total - RESERVE;
    }

    static List<String> labels() {
        return Arrays.stream(values()).map(DeviceMemory::label).toList();
    }

    /** The device of that name, in letters of either case. */
    static Optional<DeviceMemory> ofLabel(String label) {
        return Arrays.stream(values())
                .filter(device -> device.label().equalsIgnoreCase(label))
                .findFirst();
    }
}
