package dev.remat.compiler.report;

import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Value;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What the bytes of the arena are for, aligned sizes throughout.
 *
 * @param peakKernel the first kernel at which most bytes are live
 * @param atPeak bytes by purpose there
 * @param tensorsAtPeak what is live there, largest first; names break ties
 * @param maxActivationBytes largest sum at any kernel of all but parameters, optimizer state, gradients and workspace
 */
public record MemoryUse(
        int peakKernel, Map<Purpose, Long> atPeak, List<LiveTensor> tensorsAtPeak, long maxActivationBytes) {
    /** What a buffer is for. */
    public enum Purpose {
        PARAMETER,
        OPTIMIZER,
        /** State that no optimizer owns: running statistics, and those that micro-batches add up. */
        STATE,
        /** The batch, and the numbers of step and micro-batch. */
        DATA,
        /** Gradients of parameters, complete or still adding up, and other sums over micro-batches. */
        GRADIENT,
        /** Everything else. */
        ACTIVATION,
        WORKSPACE;

        /** Whether a buffer is neither workspace nor of a parameter and its training. */
        boolean countsAsActivation() {
            return this == STATE || this == DATA || this == ACTIVATION;
        }
    }

    /** A buffer in use, by the tensor that it holds, and the model line that makes it. */
    public record LiveTensor(String name, long bytes, Purpose purpose, Location location) {}

    public MemoryUse {
        tensorsAtPeak = List.copyOf(tensorsAtPeak);
    }

    static MemoryUse of(Graph graph, ArenaTimeline timeline) {
        Map<Purpose, long[]> live = timeline.liveBytes();
        long peak = -1;
        int peakKernel = 0;
        long maxActivation = 0;
        for (int k = 0; k < timeline.kernels(); k++) {
            Map<Purpose, Long> sums = at(live, k);
            long total = sums.values().stream().mapToLong(Long::longValue).sum();
            maxActivation = Math.max(maxActivation, activations(sums));
            if (total > peak) {
                peak = total;
                peakKernel = k;
            }
        }
        return new MemoryUse(peakKernel, at(live, peakKernel), tensors(graph, timeline, peakKernel), maxActivation);
    }

    private static Map<Purpose, Long> at(Map<Purpose, long[]> live, int kernel) {
        Map<Purpose, Long> sums = new EnumMap<>(Purpose.class);
        live.forEach((purpose, bytes) -> sums.put(purpose, bytes.length == 0 ? 0 : bytes[kernel]));
        return sums;
    }

    private static long activations(Map<Purpose, Long> sums) {
        return sums.entrySet().stream()
                .filter(e -> e.getKey().countsAsActivation())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    private static List<LiveTensor> tensors(Graph graph, ArenaTimeline timeline, int kernel) {
        return timeline.at(kernel).stream()
                .filter(each -> each.value().isPresent())
                .map(each -> {
                    Value value = graph.stored(graph.value(each.value().get()));
                    return new LiveTensor(value.name(), each.bytes(), each.purpose(), graph.location(value.id()));
                })
                .sorted(Comparator.comparingLong((LiveTensor t) -> -t.bytes()).thenComparing(LiveTensor::name))
                .toList();
    }

    /** Bytes for one purpose at the peak. */
    public long atPeak(Purpose purpose) {
        return atPeak.get(purpose);
    }

    /** Bytes at the peak of all but parameters, optimizer state, gradients and workspace. */
    public long activationBytesAtPeak() {
        return activations(atPeak);
    }
}
