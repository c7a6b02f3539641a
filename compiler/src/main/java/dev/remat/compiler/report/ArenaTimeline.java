package dev.remat.compiler.report;

import dev.remat.compiler.kernel.BufferMove;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.report.MemoryUse.Purpose;
import dev.remat.compiler.section.SectionPart;
import dev.remat.compiler.section.WholeStep;
import dev.remat.ir.Alignment;
import dev.remat.ir.ValueId;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.graph.GraphInput;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which bytes of the arena hold what, kernel by kernel; aligned sizes throughout.
 *
 * @param kernels number of kernels
 * @param occupancies in the order in which they begin, inputs first; at every kernel no two overlap
 */
public record ArenaTimeline(int kernels, List<Occupancy> occupancies) {
    /**
     * A range of the arena that holds one tensor, or scratch, from kernel {@code first} through kernel {@code last}. A
     * result that reuses its operand's allocation follows it in the same range and has its size.
     *
     * @param value what it holds, of the graph of the kernels; empty for scratch
     */
    public record Occupancy(Optional<ValueId> value, Purpose purpose, long offset, long bytes, int first, int last) {
        /** Whether it is in use while {@code kernel} runs. */
        public boolean isLiveAt(int kernel) {
            return first <= kernel && kernel <= last;
        }
    }

    public ArenaTimeline {
        occupancies = List.copyOf(occupancies);
    }

    /**
     * Of a whole step, each of its sections once.
     *
     * @param alignment of buffers in bytes, a power of two
     */
    public static ArenaTimeline of(WholeStep step, long alignment) {
        return new Walk(step, alignment).run();
    }

    /** Bytes for each purpose while each kernel runs. */
    public Map<Purpose, long[]> liveBytes() {
        Map<Purpose, long[]> live = new EnumMap<>(Purpose.class);
        for (Purpose purpose : Purpose.values()) {
            live.put(purpose, new long[kernels]);
        }
        for (Occupancy each : occupancies) {
            long[] change = live.get(each.purpose());
            change[each.first()] += each.bytes();
            if (each.last() + 1 < kernels) {
                change[each.last() + 1] -= each.bytes();
            }
        }
        for (long[] sums : live.values()) {
            for (int k = 1; k < kernels; k++) {
                sums[k] += sums[k - 1];
            }
        }
        return live;
    }

    /** What is in use while a kernel runs, in the order in which it came into use. */
    public List<Occupancy> at(int kernel) {
        return occupancies.stream().filter(each -> each.isLiveAt(kernel)).toList();
    }

    /** Follows the arena kernel by kernel. */
    private static final class Walk {
        private record Open(ValueId value, Purpose purpose, long bytes, int first, int order) {}

        private record Numbered(int order, Occupancy occupancy) {}

        private final KernelGraph kernels;
        private final MemoryPlan memory;
        private final List<SectionPart> parts;
        private final long alignment;
        private final Purposes purposes;
        /** What is in use, by first byte. */
        private final Map<Long, Open> open = new LinkedHashMap<>();

        private final List<Numbered> closed = new ArrayList<>();
        private int order;
        private int nextMove;

        Walk(WholeStep step, long alignment) {
            this.kernels = step.kernels();
            this.memory = step.memory();
            this.parts = step.parts();
            this.alignment = alignment;
            this.purposes = Purposes.of(kernels);
        }

        ArenaTimeline run() {
            int count = kernels.kernels().size();
            for (GraphInput input : kernels.graph().inputs()) {
                if (!kernels.livesBelow(input.value())) {
                    place(input.value(), 0);
                }
            }
            for (SectionPart part : parts) {
                for (int k = part.steps().from(); k < part.steps().to(); k++) {
                    run(k);
                }
                closeTemporaries(part.steps().to() - 1);
            }
            for (long offset : List.copyOf(open.keySet())) {
                close(offset, Math.max(0, count - 1));
            }
            closed.sort(Comparator.comparingInt(Numbered::order));
            return new ArenaTimeline(
                    count, closed.stream().map(Numbered::occupancy).toList());
        }

        private void run(int k) {
            while (nextMove < kernels.moves().size()
                    && kernels.moves().get(nextMove).before() <= k) {
                move(kernels.moves().get(nextMove++), k);
            }
            for (ValueId write : kernels.kernels().get(k).writes()) {
                place(write, k);
            }
            ByteRange scratch = memory.workspaces().get(k);
            if (scratch.bytes() > 0) {
                long bytes = Alignment.up(scratch.bytes(), alignment);
                Occupancy occupancy = new Occupancy(Optional.empty(), Purpose.WORKSPACE, scratch.offset(), bytes, k, k);
                closed.add(new Numbered(order++, occupancy));
            }
            for (ByteRange freed : memory.freed().get(k)) {
                if (freed.bytes() > 0) {
                    close(freed.offset(), k);
                }
            }
        }

        /** What is fetched takes its range, and what a store has freed by its end gives it back. */
        private void move(BufferMove move, int k) {
            switch (move) {
                case BufferMove.Store _ -> {}
                case BufferMove.Fetch fetch -> place(fetch.buffer(), k);
                case BufferMove.Await(int _, int awaited) -> {
                    if (memory.below().freeing().contains(awaited)
                            && kernels.moves().get(awaited) instanceof BufferMove.Store store
                            && open.containsKey(memory.offsets().get(store.buffer()))) {
                        close(memory.offsets().get(store.buffer()), k - 1);
                    }
                }
            }
        }

        /** Nothing but what sections share outlives one. */
        private void closeTemporaries(int last) {
            open.entrySet().stream()
                    .filter(entry -> kernels.graph()
                            .value(entry.getValue().value())
                            .producer()
                            .isPresent())
                    .map(Map.Entry::getKey)
                    .toList()
                    .forEach(offset -> close(offset, last));
        }

        private void place(ValueId value, int kernel) {
            long bytes = Alignment.up(kernels.graph().type(value).bytes(), alignment);
            if (bytes == 0) {
                return;
            }
            long offset = memory.offsets().get(value);
            Open before = open.get(offset);
            if (before != null) {
                bytes = before.bytes();
                close(offset, kernel - 1);
            }
            open.put(offset, new Open(value, purposes.of(value), bytes, kernel, order++));
        }

        private void close(long offset, int last) {
            Open ended = open.remove(offset);
            if (last >= ended.first()) {
                closed.add(new Numbered(
                        ended.order(),
                        new Occupancy(
                                Optional.of(ended.value()),
                                ended.purpose(),
                                offset,
                                ended.bytes(),
                                ended.first(),
                                last)));
            }
        }
    }
}
