package dev.remat.compiler.memory;

import dev.remat.compiler.kernel.BufferMove;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.ir.ValueId;
import dev.remat.ir.plan.ArenaLayout;
import dev.remat.ir.plan.BufferLifetime;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Gives every copy its offset in the place that it is stored to, and every input that lives below its home. A copy is
 * there from its store until kernels wait for the last fetch of it; a home is nobody else's at any time.
 */
final class LayOutBelow {
    private final KernelGraph kernels;
    private final Lifetimes lifetimes;
    private final TargetModel target;
    private final MoveTimes times;
    private final SortedMap<Integer, Long> offsets = new TreeMap<>();
    private final SortedMap<Integer, Long> homes = new TreeMap<>();

    private LayOutBelow(KernelGraph kernels, Lifetimes lifetimes, TargetModel target) {
        this.kernels = kernels;
        this.lifetimes = lifetimes;
        this.target = target;
        this.times = new MoveTimes(kernels);
    }

    static PlacesBelow run(KernelGraph kernels, Lifetimes lifetimes, TargetModel target) {
        return new LayOutBelow(kernels, lifetimes, target).run();
    }

    private PlacesBelow run() {
        int tiers = kernels.homes().values().stream()
                .mapToInt(tier -> tier + 1)
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
                copies.add(copy(new ValueId(input), 0, kernels.kernels().size() + 1));
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
        ArenaLayout layout = ArenaOffsets.layout(copies);
        for (int i = 0; i < inputs.size(); i++) {
            homes.put(inputs.get(i), layout.offset(i));
        }
        for (int i = 0; i < stores.size(); i++) {
            offsets.put(stores.get(i), layout.offset(inputs.size() + i));
        }
        return layout.height();
    }

    private BufferLifetime copy(ValueId buffer, int from, int to) {
        return new BufferLifetime(
                kernels.graph().value(buffer).name(),
                from,
                to,
                kernels.graph().type(buffer).bytes(),
                target.transferAlignment());
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
