package dev.remat.compiler.memory;

import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.fusion.InPlace;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Which buffers share an allocation, and when each is in use. Aliasing is decided here and nowhere else: views show
 * their base, updates write over what they update, and an elementwise kernel computes into an operand that dies in it.
 */
final class Lifetimes {
    /**
     * Bytes of the arena that buffers share: in use from kernel {@code first} through kernel {@code last}.
     *
     * @param moves whether one of the buffers is stored below the arena or fetched from there
     * @param endsWithStore whether it is in use until a store of it has ended, not until a kernel has
     */
    record Allocation(ValueId owner, long bytes, int first, int last, boolean moves, boolean endsWithStore) {
        long alignment(TargetModel target) {
            return moves ? Math.max(target.alignment(), target.transferAlignment()) : target.alignment();
        }
    }

    private static final int NOWHERE = -1;

    private final KernelGraph kernelGraph;
    private final Graph graph;
    private final List<FusionGroup> kernels;
    private final InPlace inPlace;
    private final int[] lastUse;
    private final boolean[] pinnedDown;
    /** Value whose allocation each buffer takes; itself for the first in it. */
    private final int[] owner;

    private final int[] first;
    private final int[] last;
    private final MoveTimes moves;

    private Lifetimes(KernelGraph kernelGraph) {
        this.kernelGraph = kernelGraph;
        this.graph = kernelGraph.graph();
        this.kernels = kernelGraph.kernels();
        this.inPlace = new InPlace(graph);
        int values = graph.values().size();
        this.lastUse = new int[values];
        this.pinnedDown = new boolean[values];
        this.owner = new int[values];
        this.first = new int[values];
        this.last = new int[values];
        this.moves = new MoveTimes(kernelGraph);
        Arrays.fill(owner, NOWHERE);
        readLastUses();
        readMoves();
        assign();
    }

    static Lifetimes of(KernelGraph kernelGraph) {
        return new Lifetimes(kernelGraph);
    }

    private void readLastUses() {
        int end = Math.max(0, kernels.size() - 1);
        for (int k = 0; k < kernels.size(); k++) {
            for (ValueId read : kernels.get(k).reads()) {
                lastUse[read.index()] = k;
            }
            for (ValueId write : kernels.get(k).writes()) {
                lastUse[write.index()] = Math.max(lastUse[write.index()], k);
            }
            for (ValueId overwritten : kernels.get(k).overwrites()) {
                lastUse[overwritten.index()] = k;
            }
        }
        for (GraphInput input : graph.inputs()) {
            lastUse[input.value().index()] = end;
        }
        graph.outputs().forEach(output -> {
            int base = kernelGraph.layouts().get(output.value()).base().index();
            lastUse[base] = end;
            pinnedDown[base] = true;
        });
    }

    /** What is stored stays until its store has ended, and nothing is computed into it before. */
    private void readMoves() {
        moves.stored().forEach((buffer, end) -> {
            pinnedDown[buffer] |= lastUse[buffer] < end;
            lastUse[buffer] = Math.max(lastUse[buffer], end - 1);
        });
        moves.fetched().forEach((buffer, before) -> {
            owner[buffer] = buffer;
            first[buffer] = before;
            last[buffer] = Math.max(before, lastUse[buffer]);
        });
    }

    private void assign() {
        for (GraphInput input : inArena()) {
            int i = input.value().index();
            owner[i] = i;
            first[i] = 0;
            last[i] = lastUse[i];
        }
        for (int k = 0; k < kernels.size(); k++) {
            FusionGroup kernel = kernels.get(k);
            for (ValueId write : kernel.writes()) {
                int i = write.index();
                owner[i] = allocationFor(kernel, write, k);
                if (owner[i] == i) {
                    first[i] = k;
                }
                last[owner[i]] = Math.max(last[owner[i]], lastUse[i]);
            }
            overwrite(kernel);
        }
    }

    private List<GraphInput> inArena() {
        return graph.inputs().stream()
                .filter(input -> !kernelGraph.livesBelow(input.value()))
                .toList();
    }

    /** The allocation of an operand that dies in the kernel and that no other result has taken, or the buffer's own. */
    private int allocationFor(FusionGroup kernel, ValueId write, int k) {
        for (ValueId candidate : inPlace.candidates(kernel, write)) {
            int allocation = owner[candidate.index()];
            boolean free = lastUse[candidate.index()] == k && last[allocation] == k && !pinnedDown[candidate.index()];
            if (free && !takenBySibling(kernel, write, allocation)) {
                return allocation;
            }
        }
        return write.index();
    }

    private boolean takenBySibling(FusionGroup kernel, ValueId write, int allocation) {
        return kernel.writes().stream().anyMatch(w -> !w.equals(write) && owner[w.index()] == allocation);
    }

    private void overwrite(FusionGroup kernel) {
        for (int i = 0; i < kernel.overwrites().size(); i++) {
            int allocation = owner[kernel.overwrites().get(i).index()];
            int write = kernel.results().size() + i;
            int result = kernel.body().writes().get(write).result();
            int updated = graph.node(kernel.root()).results().get(result).index();
            owner[updated] = allocation;
            last[allocation] = Math.max(last[allocation], lastUse[updated]);
        }
    }

    /** Allocations in the order in which they come into use, inputs first. */
    List<Allocation> allocations() {
        List<Allocation> places = new ArrayList<>();
        for (GraphInput input : inArena()) {
            places.add(allocation(input.value()));
        }
        for (FusionGroup kernel : kernels) {
            kernel.writes().stream()
                    .filter(w -> owner[w.index()] == w.index())
                    .map(this::allocation)
                    .forEach(places::add);
        }
        moves.fetched().keySet().forEach(buffer -> places.add(allocation(new ValueId(buffer))));
        return places;
    }

    private Allocation allocation(ValueId value) {
        int from = first[value.index()];
        int to = last[value.index()];
        boolean moved = moves.fetched().containsKey(value.index());
        boolean endsWithStore = false;
        for (Map.Entry<Integer, Integer> stored : moves.stored().entrySet()) {
            boolean inside = owner[stored.getKey()] == value.index();
            moved |= inside;
            endsWithStore |= inside && endsLast(stored.getKey());
        }
        return new Allocation(value, graph.type(value).bytes(), from, to, moved, endsWithStore);
    }

    /** Whether the end of a store, a move with that number, frees the allocation of its buffer. */
    boolean frees(int store, ValueId buffer) {
        return moves.end(store) == moves.stored().get(buffer.index()) && endsLast(buffer.index());
    }

    /** Whether the allocation of a stored buffer is in use until its store has ended, and not until a kernel has. */
    private boolean endsLast(int buffer) {
        return pinnedDown[buffer] && moves.awaited().get(buffer) > last[owner[buffer]];
    }

    /** The value that owns the allocation of {@code buffer}, which has one. */
    ValueId owner(ValueId buffer) {
        return new ValueId(owner[buffer.index()]);
    }

    boolean isAllocated(ValueId value) {
        return owner[value.index()] != NOWHERE;
    }
}
