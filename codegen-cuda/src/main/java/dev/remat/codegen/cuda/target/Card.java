package dev.remat.codegen.cuda.target;

import dev.remat.ir.target.DeviceSpec;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * GPUs that can be named instead of described.
 *
 * <p>Memory is what the driver reports as total, in tenths of a GiB, rounded down. Rates are those that the vendor
 * publishes: dense, without sparsity, f32 products in tf32 where there are tensor cores for it.
 */
public enum Card {
    T4(145),
    V100_16GB(157),
    V100_32GB(317),
    A10(219),
    L4(220),
    RTX3090(236, Architecture.SM_86, 82, 1.695e9, 35.6e12, 71.2e12, 0.936e12),
    RTX4090(236, Architecture.SM_89, 128, 2.52e9, 82.6e12, 165.2e12, 1.008e12),
    RTX5090(313),
    L40S(443),
    A100_40GB(393),
    A100_80GB(791),
    /** SXM, 80 GB. */
    A100(791, Architecture.SM_80, 108, 1.41e9, 156e12, 312e12, 2.039e12),
    /** SXM. */
    H100(791, Architecture.SM_90A, 132, 1.83e9, 494.7e12, 989.4e12, 3.35e12),
    /** SXM. */
    H200(1397, Architecture.SM_90A, 132, 1.83e9, 494.7e12, 989.4e12, 4.8e12),
    B200(1783, Architecture.SM_100A, 148, 1.85e9, 1.1e15, 2.25e15, 8e12);

    /** Bytes left to the driver: for the context, the kernels' code, and what the driver keeps. */
    public static final long RESERVE = 1L << 30;

    /** A launch inside a CUDA graph. */
    private static final double LAUNCH_NANOS = 1300;

    /**
     * What costs are estimated from.
     *
     * @param hertz boost clock in cycles a second
     */
    record Rates(Architecture architecture, int multiprocessors, double hertz, DeviceSpec device) {
        /** Those of the architecture's usual card, the first of its cards, under the architecture's name. */
        static Rates usual(Architecture architecture) {
            return Stream.of(values())
                    .flatMap(card -> card.rates.stream())
                    .filter(rates -> rates.architecture == architecture)
                    .findFirst()
                    .map(rates -> new Rates(
                            architecture, rates.multiprocessors, rates.hertz, rates.device.named(architecture.label())))
                    .orElseThrow();
        }
    }

    private final long totalBytes;
    private final Optional<Rates> rates;

    Card(int tenthsOfGibibyte) {
        this.totalBytes = totalBytes(tenthsOfGibibyte);
        this.rates = Optional.empty();
    }

    Card(
            int tenthsOfGibibyte,
            Architecture architecture,
            int multiprocessors,
            double hertz,
            double flops,
            double narrowFlops,
            double bytes) {
        this.totalBytes = totalBytes(tenthsOfGibibyte);
        this.rates = Optional.of(new Rates(
                architecture, multiprocessors, hertz, DeviceSpec.of(label(), flops, narrowFlops, bytes, LAUNCH_NANOS)));
    }

    private static long totalBytes(int tenthsOfGibibyte) {
        return (tenthsOfGibibyte * (1L << 30)) / 10;
    }

    /** As users write it: {@code a100-40gb}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Bytes that an arena may take. */
    public long usableBytes() {
        return totalBytes - RESERVE;
    }

    /** Its rates, where they are known. */
    public Optional<DeviceSpec> device() {
        return rates.map(Rates::device);
    }

    public static Optional<Card> ofLabel(String label) {
        return Arrays.stream(values())
                .filter(card -> card.label().equals(label))
                .findFirst();
    }

    public static List<String> labels() {
        return Arrays.stream(values()).map(Card::label).toList();
    }

    /** Labels of the cards whose rates are known, oldest architecture first. */
    public static List<String> ratedLabels() {
        return Arrays.stream(values())
                .flatMap(card -> card.rates.stream())
                .sorted(Comparator.comparing(Rates::architecture))
                .map(rates -> rates.device().name())
                .toList();
    }
}
