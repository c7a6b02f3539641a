package dev.remat.compiler.memory;

import dev.remat.compiler.kernel.BufferMove;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.ir.ValueId;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.plan.ArenaLayout;
import dev.remat.ir.plan.BufferLifetime;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Gives every copy its offset in the place that it is stored to, and every input that lives below its home. A copy is
 * there from its store until kernels wait for the last fetch of it; a home is nobody else's at any time.
 */
final class LayOutBelow {
    private final KernelGraph kernels;
    private final Lifetimes lifetimes;
    private final TargetModel target;
    private final MoveTimes times;
    private final FoundLayouts layouts;
    /** What another plan or section has below the arena, by name. */
    private final Map<String, ArenaTensor> kept = new LinkedHashMap<>();

    private final SortedMap<Integer, Long> offsets = new TreeMap<>();
    private final SortedMap<Integer, Long> homes = new TreeMap<>();

    private LayOutBelow(
            KernelGraph kernels,
            Lifetimes lifetimes,
            TargetModel target,
            Collection<ArenaTensor> kept,
            FoundLayouts layouts) {
        this.kernels = kernels;
        this.lifetimes = lifetimes;
        this.target = target;
        this.times = new MoveTimes(kernels);
        this.layouts = layouts;
        kept.stream().filter(tensor -> !tensor.isInArena()).forEach(tensor -> this.kept.put(tensor.name(), tensor));
    }

    /**
     * @param kept by another plan or section, which has given the homes of both their offsets; empty without one
     * @param layouts asked where there is none
     */
    static PlacesBelow run(
            KernelGraph kernels,
            Lifetimes lifetimes,
            TargetModel target,
            Collection<ArenaTensor> kept,
            FoundLayouts layouts) {
        return new LayOutBelow(kernels, lifetimes, target, kept, layouts).run();
    }

    private PlacesBelow run() {
        int tiers = IntStream.concat(
                        kernels.homes().values().stream().mapToInt(tier -> tier),
                        kept.values().stream().mapToInt(ArenaTensor::place))
                .map(tier -> tier + 1)
                .max()
                .orElse(0);
        for (BufferMove move : kernels.moves()) {
            tiers = move instanceof BufferMove.Store store ? Math.max(tiers, store.tier() + 1) : tiers;
        }
        List<Long> bytes = new ArrayList<>();
        for (int tier = 0; tier < tiers; tier++) {
            bytes.add(layOut(tier));
        }
        return new PlacesBelow(bytes, offsets, homes, freeing());
    }

    /** Bytes that are taken of a tier. */
    private long layOut(int tier) {
        List<Integer> inputs = new ArrayList<>();
        List<Integer> stores = new ArrayList<>();
        List<BufferLifetime> copies = new ArrayList<>();
        kernels.homes().forEach((input, home) -> {
            if (home == tier) {
                inputs.add(input);
                copies.add(copy(new ValueId(input), 0, behind()));
            }
        });
        for (int number = 0; number < kernels.moves().size(); number++) {
            if (kernels.moves().get(number) instanceof BufferMove.Store store
                    && store.tier() == tier
                    && store.home().isEmpty()) {
                stores.add(number);
                copies.add(copy(store.buffer(), store.before(), times.lastFetched(number)));
            }
        }
        ArenaLayout layout = kept.isEmpty() ? layouts.layout(copies) : layoutAmongKept(tier, inputs, copies);
        for (int i = 0; i < inputs.size(); i++) {
            homes.put(inputs.get(i), layout.offset(i));
        }
        for (int i = 0; i < stores.size(); i++) {
            offsets.put(stores.get(i), layout.offset(inputs.size() + i));
        }
        return layout.height();
    }

    /** Copies in the order given, homes first, then what only the other has there. */
    private ArenaLayout layoutAmongKept(int tier, List<Integer> inputs, List<BufferLifetime> copies) {
        Map<String, ArenaTensor> others = new LinkedHashMap<>(kept);
        List<BufferLifetime> all = new ArrayList<>(copies);
        List<Long> places = new ArrayList<>();
        inputs.forEach(input -> places.add(
                others.remove(kernels.graph().value(new ValueId(input)).name()).offset()));
        places.addAll(Collections.nCopies(copies.size() - inputs.size(), -1L));
        others.values().stream().filter(tensor -> tensor.place() == tier).forEach(tensor -> {
            all.add(copy(tensor.name(), 0, behind(), tensor.type().bytes()));
            places.add(tensor.offset());
        });
        return ArenaOffsets.layout(
                all, places.stream().mapToLong(Long::longValue).toArray());
    }

    private int behind() {
        return kernels.kernels().size() + 1;
    }

    private BufferLifetime copy(ValueId buffer, int from, int to) {
        return copy(
                kernels.graph().value(buffer).name(),
                from,
                to,
                kernels.graph().type(buffer).bytes());
    }

    private BufferLifetime copy(String name, int from, int to, long bytes) {
        return new BufferLifetime(name, from, to, bytes, target.transferAlignment());
    }

    private SortedSet<Integer> freeing() {
        SortedSet<Integer> freeing = new TreeSet<>();
        for (int number = 0; number < kernels.moves().size(); number++) {
            if (kernels.moves().get(number) instanceof BufferMove.Store store
                    && lifetimes.frees(number, store.buffer())) {
                freeing.add(number);
            }
        }
        return freeing;
    }
}
