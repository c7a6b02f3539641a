package dev.remat.compiler.report;

import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.unit.Unit;
import dev.remat.ir.Graph;
import dev.remat.ir.GraphInput;
import dev.remat.ir.GraphOutput;
import dev.remat.ir.Node;
import dev.remat.ir.ValueId;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.op.AdamUpdate;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.ir.op.SgdUpdate;
import dev.remat.ir.op.Update;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Follows the arena through a step and tells what its bytes are for, aligned sizes throughout.
 *
 * @param peakKernel the first kernel at which most bytes are live
 * @param atPeak bytes by purpose there
 * @param maxActivationBytes largest sum of {@link Purpose#ACTIVATION} at any kernel
 */
public record MemoryUse(int peakKernel, Map<Purpose, Long> atPeak, long maxActivationBytes) {
    /** What a buffer is for. */
    public enum Purpose {
        /** Parameters and running statistics. */
        PARAMETER,
        OPTIMIZER,
        /** Complete gradients of parameters. */
        GRADIENT,
        /** Everything else, the batch among it. */
        ACTIVATION,
        WORKSPACE
    }

    private record Buffer(long bytes, Purpose purpose) {}

    /** @param alignment of buffers in bytes, a power of two */
    static MemoryUse of(KernelGraph kernels, MemoryPlan memory, long alignment) {
        return new Walk(kernels, memory, alignment).run();
    }

    private static final class Walk {
        private final KernelGraph kernels;
        private final Graph graph;
        private final MemoryPlan memory;
        private final long alignment;
        private final boolean[] isGradient;
        private final Map<Long, Buffer> live = new TreeMap<>();
        private final Map<Purpose, Long> sums = new EnumMap<>(Purpose.class);

        Walk(KernelGraph kernels, MemoryPlan memory, long alignment) {
            this.kernels = kernels;
            this.graph = kernels.graph();
            this.memory = memory;
            this.alignment = alignment;
            this.isGradient = gradients();
            for (Purpose purpose : Purpose.values()) {
                sums.put(purpose, 0L);
            }
        }

        MemoryUse run() {
            for (GraphInput input : graph.inputs()) {
                place(input.value(), purpose(input));
            }
            long peak = -1;
            int peakKernel = 0;
            Map<Purpose, Long> atPeak = new EnumMap<>(sums);
            long maxActivation = sums.get(Purpose.ACTIVATION);
            for (int k = 0; k < kernels.kernels().size(); k++) {
                Unit kernel = kernels.kernels().get(k);
                for (ValueId write : kernel.writes()) {
                    place(write, isGradient[write.index()] ? Purpose.GRADIENT : Purpose.ACTIVATION);
                }
                sums.put(Purpose.WORKSPACE, aligned(memory.workspaces().get(k).bytes()));
                maxActivation = Math.max(maxActivation, sums.get(Purpose.ACTIVATION));
                long total = sums.values().stream().mapToLong(Long::longValue).sum();
                if (total > peak) {
                    peak = total;
                    peakKernel = k;
                    atPeak.putAll(sums);
                }
                for (ByteRange freed : memory.freed().get(k)) {
                    if (freed.bytes() > 0) {
                        remove(freed.offset());
                    }
                }
            }
            return new MemoryUse(peakKernel, atPeak, maxActivation);
        }

        /** A result that takes over its operand's place keeps that place's size. */
        private void place(ValueId value, Purpose purpose) {
            long bytes = aligned(graph.type(value).bytes());
            if (bytes == 0) {
                return;
            }
            long offset = memory.offsets().get(value);
            Buffer before = live.containsKey(offset) ? remove(offset) : new Buffer(bytes, purpose);
            live.put(offset, new Buffer(before.bytes(), purpose));
            sums.merge(purpose, before.bytes(), Long::sum);
        }

        private Buffer remove(long offset) {
            Buffer buffer = live.remove(offset);
            sums.merge(buffer.purpose(), -buffer.bytes(), Long::sum);
            return buffer;
        }

        private long aligned(long bytes) {
            return Math.addExact(bytes, alignment - 1) & -alignment;
        }

        private Purpose purpose(GraphInput input) {
            return switch (input.kind()) {
                case DATA, STEP -> Purpose.ACTIVATION;
                case PARAMETER -> Purpose.PARAMETER;
                case STATE -> isStatistic(input.value()) ? Purpose.PARAMETER : Purpose.OPTIMIZER;
            };
        }

        private boolean isStatistic(ValueId state) {
            return !graph.value(state).name().startsWith("optimizer.");
        }

        private boolean[] gradients() {
            boolean[] found = new boolean[graph.values().size()];
            for (Node node : graph.nodes()) {
                if (node.op() instanceof Update update) {
                    switch (update) {
                        case AdamUpdate adam -> found[base(node.operands().get(1))] = true;
                        case SgdUpdate sgd -> found[base(node.operands().get(1))] = true;
                        case RunningStatistics statistics -> {}
                    }
                }
            }
            for (GraphOutput output : graph.outputs()) {
                if (output.name().startsWith("grad.")) {
                    found[base(output.value())] = true;
                }
            }
            return found;
        }

        private int base(ValueId value) {
            return kernels.layouts().get(value).base().index();
        }
    }

    /** Bytes for one purpose at the peak. */
    public long atPeak(Purpose purpose) {
        return atPeak.get(purpose);
    }
}
