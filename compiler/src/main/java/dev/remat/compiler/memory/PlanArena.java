package dev.remat.compiler.memory;

import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.Lifetimes.Allocation;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.Value;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.plan.ArenaLayout;
import dev.remat.ir.plan.BufferLifetime;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Gives every buffer and workspace of a kernel graph its offset in one arena. */
public final class PlanArena {
    private final KernelGraph kernelGraph;
    private final Graph graph;
    private final TargetModel target;
    private final FoundLayouts layouts;
    private final int kernels;

    /** What another plan for the same arena keeps in it, by name. */
    private final Map<String, ArenaTensor> kept = new LinkedHashMap<>();

    private final long roomBytes;

    private PlanArena(KernelGraph kernelGraph, TargetModel target, FoundLayouts layouts, long roomBytes) {
        this.kernelGraph = kernelGraph;
        this.layouts = layouts;
        this.roomBytes = roomBytes;
        this.graph = kernelGraph.graph();
        this.target = target;
        this.kernels = kernelGraph.kernels().size();
    }

    public static MemoryPlan run(KernelGraph kernelGraph, TargetModel target) {
        return new PlanArena(kernelGraph, target, new FoundLayouts(), 0).run();
    }

    /**
     * For a plan that takes turns with another in one arena: what both have has the same place, and nothing lies where
     * the other keeps something.
     *
     * @param kept what the other keeps while this one runs; every parameter and state of this plan is among it
     * @param roomBytes of the other's arena, which this one may take up; 0 where there is no other plan
     * @param layouts asked where there is no other plan
     */
    public static MemoryPlan within(
            KernelGraph kernelGraph, TargetModel target, List<ArenaTensor> kept, long roomBytes, FoundLayouts layouts) {
        PlanArena pass = new PlanArena(kernelGraph, target, layouts, roomBytes);
        kept.forEach(tensor -> pass.kept.put(tensor.name(), tensor));
        return pass.run();
    }

    private MemoryPlan run() {
        Lifetimes lifetimes = Lifetimes.of(kernelGraph);
        List<Allocation> places = lifetimes.allocations();
        List<BufferLifetime> buffers = new ArrayList<>();
        for (Allocation place : places) {
            String name = graph.value(place.owner()).name();
            buffers.add(
                    new BufferLifetime(name, place.first(), place.last() + 1, place.bytes(), place.alignment(target)));
        }
        List<Integer> withWorkspace = new ArrayList<>();
        for (int k = 0; k < kernels; k++) {
            long bytes = workspace(k);
            if (bytes > 0) {
                withWorkspace.add(k);
                buffers.add(buffer("workspace:" + k, k, k, bytes));
            }
        }
        ArenaLayout layout = kept.isEmpty() ? layouts.layout(buffers) : layoutAmongKept(buffers, lifetimes);

        ValueMap<Long> allocationOffsets = new ValueMap<>(graph.values().size());
        List<List<ByteRange>> freed = new ArrayList<>();
        for (int k = 0; k < kernels; k++) {
            freed.add(new ArrayList<>(2));
        }
        for (int i = 0; i < places.size(); i++) {
            Allocation place = places.get(i);
            allocationOffsets.put(place.owner(), layout.offset(i));
            if (place.last() < kernels - 1 && !place.endsWithStore()) {
                freed.get(place.last()).add(new ByteRange(layout.offset(i), place.bytes()));
            }
        }
        List<ByteRange> workspaces = new ArrayList<>();
        for (int k = 0; k < kernels; k++) {
            workspaces.add(new ByteRange(0, 0));
        }
        for (int i = 0; i < withWorkspace.size(); i++) {
            int k = withWorkspace.get(i);
            workspaces.set(k, new ByteRange(layout.offset(places.size() + i), workspace(k)));
        }
        return new MemoryPlan(
                layout.height(),
                layout.lowerBound(),
                offsets(lifetimes, allocationOffsets),
                workspaces,
                freed,
                LiveBytes.of(buffers, kernels),
                LayOutBelow.run(kernelGraph, lifetimes, target, kept.values(), layouts));
    }

    /** Whether ranks have shares of it, and this plan has it whole for a while. */
    private boolean isShared(Value value) {
        return kept.values().stream()
                .flatMap(tensor -> tensor.share().stream())
                .flatMap(share -> share.parts().stream())
                .anyMatch(part ->
                        part.tensor().equals(value.name()) && part.type().equals(value.type()));
    }

    /** Buffers in the order given, then what only the other plan keeps. */
    private ArenaLayout layoutAmongKept(List<BufferLifetime> buffers, Lifetimes lifetimes) {
        List<BufferLifetime> all = new ArrayList<>(buffers);
        Map<String, ArenaTensor> others = new LinkedHashMap<>(kept);
        List<Long> places = new ArrayList<>(Collections.nCopies(buffers.size(), -1L));
        int next = 0;
        for (GraphInput input : graph.inputs()) {
            Value value = graph.value(input.value());
            boolean below = kernelGraph.livesBelow(input.value());
            ArenaTensor place = others.remove(value.name());
            if (place == null
                    ? input.kind().isPersistent() && !isShared(value)
                    : !place.type().equals(value.type()) || place.isInArena() == below) {
                throw new IllegalArgumentException("the other plan keeps no " + value.type() + " " + value.name());
            }
            if (place != null && !below) {
                places.set(next, place.offset());
            }
            // Allocations begin with the inputs that are in the arena.
            next += below ? 0 : 1;
        }
        others.values().stream().filter(ArenaTensor::isInArena).forEach(other -> {
            all.add(buffer(
                    other.name(), 0, Math.max(0, kernels - 1), other.type().bytes()));
            places.add(other.offset());
        });
        long[] offsets = places.stream().mapToLong(Long::longValue).toArray();
        ArenaLayout layout = ArenaOffsets.layout(all, offsets);
        return SentBuffers.run(kernelGraph, lifetimes, all)
                .map(longer -> ArenaOffsets.layout(longer, offsets))
                .filter(other -> other.height() <= Math.max(roomBytes, layout.height()))
                .orElse(layout);
    }

    private ValueMap<Long> offsets(Lifetimes lifetimes, ValueMap<Long> allocationOffsets) {
        ValueMap<Long> offsets = new ValueMap<>(graph.values().size());
        for (Value value : graph.values()) {
            if (lifetimes.isAllocated(value.id())) {
                offsets.put(value.id(), allocationOffsets.get(lifetimes.owner(value.id())));
            }
        }
        return offsets;
    }

    private long workspace(int kernel) {
        return target.workspaceBytes(kernelGraph.kernels().get(kernel).body());
    }

    private BufferLifetime buffer(String name, int first, int last, long bytes) {
        return new BufferLifetime(name, first, last + 1, bytes, target.alignment());
    }
}
