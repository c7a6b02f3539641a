package dev.remat.compiler.report;

import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.ir.Alignment;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Value;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

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
        /** State that no optimizer owns: running statistics. */
        STATE,
        /** The batch and the number of the step. */
        DATA,
        /** Gradients of parameters, complete or still adding up. */
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

    /** @param alignment of buffers in bytes, a power of two */
    static MemoryUse of(KernelGraph kernels, MemoryPlan memory, long alignment) {
        long peak = -1;
        int peakKernel = 0;
        long maxActivation = 0;
        Map<Purpose, Long> atPeak = new EnumMap<>(Purpose.class);
        Walk walk = new Walk(kernels, memory, alignment);
        for (int k = 0; k < kernels.kernels().size(); k++) {
            walk.enter(k);
            long total = walk.sums.values().stream().mapToLong(Long::longValue).sum();
            maxActivation = Math.max(maxActivation, activations(walk.sums));
            if (total > peak) {
                peak = total;
                peakKernel = k;
                atPeak.putAll(walk.sums);
            }
            walk.leave(k);
        }
        return new MemoryUse(
                peakKernel, atPeak, tensors(new Walk(kernels, memory, alignment), peakKernel), maxActivation);
    }

    private static long activations(Map<Purpose, Long> sums) {
        return sums.entrySet().stream()
                .filter(e -> e.getKey().countsAsActivation())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    private static List<LiveTensor> tensors(Walk walk, int kernel) {
        for (int k = 0; k < kernel; k++) {
            walk.enter(k);
            walk.leave(k);
        }
        walk.enter(kernel);
        List<LiveTensor> tensors = new ArrayList<>();
        walk.live.values().forEach(buffer -> tensors.add(walk.tensor(buffer)));
        tensors.sort(Comparator.comparingLong((LiveTensor t) -> -t.bytes()).thenComparing(LiveTensor::name));
        return tensors;
    }

    /** Bytes for one purpose at the peak. */
    public long atPeak(Purpose purpose) {
        return atPeak.get(purpose);
    }

    /** Bytes at the peak of all but parameters, optimizer state, gradients and workspace. */
    public long activationBytesAtPeak() {
        return activations(atPeak);
    }

    /** Follows the arena kernel by kernel. */
    private static final class Walk {
        private record Buffer(ValueId value, long bytes, Purpose purpose) {}

        private final KernelGraph kernels;
        private final Graph graph;
        private final MemoryPlan memory;
        private final long alignment;
        private final Purposes purposes;
        /** Buffers in use, by first byte. */
        private final Map<Long, Buffer> live = new TreeMap<>();

        private final Map<Purpose, Long> sums = new EnumMap<>(Purpose.class);

        Walk(KernelGraph kernels, MemoryPlan memory, long alignment) {
            this.kernels = kernels;
            this.graph = kernels.graph();
            this.memory = memory;
            this.alignment = alignment;
            this.purposes = Purposes.of(kernels);
            for (Purpose purpose : Purpose.values()) {
                sums.put(purpose, 0L);
            }
            graph.inputs().forEach(input -> place(input.value()));
        }

        void enter(int kernel) {
            kernels.kernels().get(kernel).writes().forEach(this::place);
            sums.put(Purpose.WORKSPACE, aligned(memory.workspaces().get(kernel).bytes()));
        }

        void leave(int kernel) {
            for (ByteRange freed : memory.freed().get(kernel)) {
                if (freed.bytes() > 0) {
                    remove(freed.offset());
                }
            }
        }

        /** A result that reuses its operand's allocation keeps the size of that. */
        private void place(ValueId value) {
            long bytes = aligned(graph.type(value).bytes());
            if (bytes == 0) {
                return;
            }
            long offset = memory.offsets().get(value);
            long size = live.containsKey(offset) ? remove(offset).bytes() : bytes;
            live.put(offset, new Buffer(value, size, purposes.of(value)));
            sums.merge(purposes.of(value), size, Long::sum);
        }

        private Buffer remove(long offset) {
            Buffer buffer = live.remove(offset);
            sums.merge(buffer.purpose(), -buffer.bytes(), Long::sum);
            return buffer;
        }

        private long aligned(long bytes) {
            return Alignment.up(bytes, alignment);
        }

        private LiveTensor tensor(Buffer buffer) {
            Value value = graph.value(buffer.value());
            return new LiveTensor(value.name(), buffer.bytes(), buffer.purpose(), location(value));
        }

        private Location location(Value value) {
            return switch (value.definition()) {
                case Value.Result result -> graph.node(result.node()).origin().location();
                case Value.Input input -> graph.inputs().get(input.index()).location();
            };
        }
    }
}
