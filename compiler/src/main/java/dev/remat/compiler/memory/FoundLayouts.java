package dev.remat.compiler.memory;

import dev.remat.compiler.layout.Intervals;
import dev.remat.ir.plan.ArenaLayout;
import dev.remat.ir.plan.BufferLifetime;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The layouts of one plan, in the order in which it asks for them: of its arena, then of places below. Those that were
 * found when the same plan was made before are taken instead of being searched for; the checkers of the finished plan
 * say whether they are any good.
 */
public final class FoundLayouts {
    private final List<List<Long>> known;
    private final List<List<Long>> offsets = new ArrayList<>();
    private final long arenaBytes;

    /** Of a plan that nothing is known of. */
    public FoundLayouts() {
        this(List.of(), 0);
    }

    /** @param known {@link #offsets} of the same plan */
    public FoundLayouts(List<List<Long>> known) {
        this(known, 0);
    }

    private FoundLayouts(List<List<Long>> known, long arenaBytes) {
        this.known = List.copyOf(known);
        this.arenaBytes = arenaBytes;
    }

    /** Of a plan that nothing is known of, whose arena is hoped not to take more than a budget. */
    public static FoundLayouts within(OptionalLong budgetBytes) {
        return new FoundLayouts(List.of(), budgetBytes.orElse(0));
    }

    ArenaLayout layout(List<BufferLifetime> buffers) {
        long hoped = offsets.isEmpty() ? arenaBytes : 0;
        ArenaLayout layout = isKnown(buffers) ? known(buffers) : ArenaOffsets.layout(buffers, hoped);
        offsets.add(layout.offsets());
        return layout;
    }

    private boolean isKnown(List<BufferLifetime> buffers) {
        return offsets.size() < known.size() && known.get(offsets.size()).size() == buffers.size();
    }

    private ArenaLayout known(List<BufferLifetime> buffers) {
        List<Long> places = known.get(offsets.size());
        Intervals intervals = Intervals.of(buffers);
        long height =
                intervals.height(places.stream().mapToLong(Long::longValue).toArray());
        return new ArenaLayout(places, height, intervals.largestLiveSum());
    }

    /** Offsets of the buffers of each layout so far. */
    public List<List<Long>> offsets() {
        return List.copyOf(offsets);
    }
}
