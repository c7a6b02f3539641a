package dev.remat.compiler.memory;

import dev.remat.compiler.kernel.BufferMove;
import dev.remat.compiler.kernel.KernelGraph;
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
 * Gives every copy its offset in the place that it is stored to. A copy is there from its store until kernels wait for
 * the last fetch of it.
 */
final class LayOutBelow {
    private LayOutBelow() {}

    static PlacesBelow run(KernelGraph kernels, Lifetimes lifetimes, TargetModel target) {
        List<BufferMove> moves = kernels.moves();
        MoveTimes times = new MoveTimes(kernels);
        int tiers = 0;
        for (BufferMove move : moves) {
            tiers = move instanceof BufferMove.Store store ? Math.max(tiers, store.tier() + 1) : tiers;
        }
        List<Long> bytes = new ArrayList<>();
        SortedMap<Integer, Long> offsets = new TreeMap<>();
        SortedSet<Integer> freeing = new TreeSet<>();
        for (int tier = 0; tier < tiers; tier++) {
            List<Integer> stores = new ArrayList<>();
            List<BufferLifetime> copies = new ArrayList<>();
            for (int number = 0; number < moves.size(); number++) {
                if (moves.get(number) instanceof BufferMove.Store store && store.tier() == tier) {
                    stores.add(number);
                    copies.add(new BufferLifetime(
                            kernels.graph().value(store.buffer()).name(),
                            store.before(),
                            times.lastFetched(number),
                            kernels.graph().type(store.buffer()).bytes(),
                            target.transferAlignment()));
                    if (lifetimes.frees(number, store.buffer())) {
                        freeing.add(number);
                    }
                }
            }
            ArenaLayout layout = ArenaOffsets.layout(copies);
            for (int i = 0; i < stores.size(); i++) {
                offsets.put(stores.get(i), layout.offset(i));
            }
            bytes.add(layout.height());
        }
        return new PlacesBelow(bytes, offsets, freeing);
    }
}
