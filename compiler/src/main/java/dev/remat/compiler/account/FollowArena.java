package dev.remat.compiler.account;

import dev.remat.compiler.kernel.BufferMove;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.section.SectionPart;
import dev.remat.compiler.section.WholeStep;
import dev.remat.ir.Alignment;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Value;
import dev.remat.ir.graph.ValueMap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Follows the arena through a whole step, each of its sections once: which bytes hold what, in aligned sizes. */
final class FollowArena {
    private record Open(ValueId value, long bytes, int first, int order) {}

    private record Numbered(int order, Stay stay) {}

    private final WholeStep step;
    private final KernelGraph kernels;
    private final Graph graph;
    private final MemoryPlan memory;
    private final long alignment;
    private final Kinds kinds;
    /** What is in use, by first byte. */
    private final Map<Long, Open> open = new LinkedHashMap<>();

    private final List<Numbered> closed = new ArrayList<>();
    private final ValueMap<Stay> places;
    private int order;
    private int nextMove;

    /** @param alignment of buffers in bytes, a power of two */
    FollowArena(WholeStep step, long alignment) {
        this.step = step;
        this.kernels = step.kernels();
        this.graph = kernels.graph();
        this.memory = step.memory();
        this.alignment = alignment;
        this.kinds = Kinds.of(kernels);
        this.places = new ValueMap<>(graph.values().size());
        run();
    }

    /** In the order in which they begin, inputs first; at every step no two overlap. */
    List<Stay> stays() {
        return closed.stream().map(Numbered::stay).toList();
    }

    /** By the planned values that they hold. */
    ValueMap<Stay> places() {
        return places;
    }

    private void run() {
        for (GraphInput input : graph.inputs()) {
            if (!kernels.livesBelow(input.value())) {
                place(input.value(), 0);
            }
        }
        for (SectionPart part : step.parts()) {
            for (int k = part.steps().from(); k < part.steps().to(); k++) {
                run(k);
            }
            closeTemporaries(part.steps().to() - 1);
        }
        int last = Math.max(0, kernels.kernels().size() - 1);
        for (long offset : List.copyOf(open.keySet())) {
            close(offset, last);
        }
        closed.sort(Comparator.comparingInt(Numbered::order));
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
            closed.add(new Numbered(
                    order++,
                    new Stay(
                            Optional.empty(),
                            Optional.empty(),
                            Location.NONE,
                            Kind.WORKSPACE,
                            false,
                            false,
                            scratch.offset(),
                            bytes,
                            k,
                            k)));
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
                .filter(entry ->
                        graph.value(entry.getValue().value()).producer().isPresent())
                .map(Map.Entry::getKey)
                .toList()
                .forEach(offset -> close(offset, last));
    }

    private void place(ValueId value, int kernel) {
        long bytes = Alignment.up(graph.type(value).bytes(), alignment);
        if (bytes == 0) {
            return;
        }
        long offset = memory.offsets().get(value);
        Open before = open.get(offset);
        if (before != null) {
            bytes = before.bytes();
            close(offset, kernel - 1);
        }
        open.put(offset, new Open(value, bytes, kernel, order++));
    }

    private void close(long offset, int last) {
        Open ended = open.remove(offset);
        if (last < ended.first()) {
            return;
        }
        Value value = graph.value(ended.value());
        Value stored = graph.stored(value);
        Stay stay = new Stay(
                Optional.of(stored.name()),
                step.from().find(value.id()),
                graph.location(stored.id()),
                kinds.of(value.id()),
                value.producer().isEmpty() && stored.equals(value),
                value.producer().map(graph::node).filter(Node::isClone).isPresent(),
                offset,
                ended.bytes(),
                ended.first(),
                last);
        closed.add(new Numbered(ended.order(), stay));
        places.put(value.id(), stay);
    }
}
