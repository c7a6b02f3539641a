package dev.remat.compiler.memory;

import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Exchange;
import dev.remat.ir.plan.BufferLifetime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Buffers as they are in use where there is room for it: what an exchange sends, until something touches what it
 * brings. Where they end as soon as the exchange has begun, whatever is written there waits for it.
 */
final class SentBuffers {
    private SentBuffers() {}

    /**
     * The same buffers, or none if no exchange gains by it.
     *
     * @param buffers those of all allocations, then others
     */
    static Optional<List<BufferLifetime>> run(KernelGraph graph, Lifetimes lifetimes, List<BufferLifetime> buffers) {
        List<Lifetimes.Allocation> places = lifetimes.allocations();
        Map<ValueId, Integer> ends = ends(graph.kernels(), lifetimes);
        List<BufferLifetime> longer = new ArrayList<>(buffers);
        for (int i = 0; i < places.size(); i++) {
            BufferLifetime buffer = buffers.get(i);
            int end = ends.getOrDefault(places.get(i).owner(), 0);
            if (end > buffer.upper()) {
                longer.set(i, new BufferLifetime(buffer.id(), buffer.lower(), end, buffer.size(), buffer.alignment()));
            }
        }
        return Optional.of(longer).filter(each -> !each.equals(buffers));
    }

    /** The kernel in front of which what is sent from an allocation has come, by its owner. */
    private static Map<ValueId, Integer> ends(List<FusionGroup> kernels, Lifetimes lifetimes) {
        Map<ValueId, Integer> ends = new TreeMap<>();
        Map<ValueId, ValueId> underWay = new TreeMap<>();
        for (int k = 0; k < kernels.size(); k++) {
            FusionGroup kernel = kernels.get(k);
            int now = k;
            touched(kernel)
                    .forEach(buffer -> Optional.ofNullable(underWay.remove(buffer))
                            .ifPresent(sent -> ends.merge(lifetimes.owner(sent), now, Math::max)));
            if (kernel.body().instructions().getFirst().op() instanceof Exchange) {
                underWay.put(kernel.writes().getFirst(), kernel.reads().getFirst());
            }
        }
        return ends;
    }

    private static List<ValueId> touched(FusionGroup kernel) {
        List<ValueId> touched = new ArrayList<>(kernel.reads());
        touched.addAll(kernel.writes());
        touched.addAll(kernel.overwrites());
        return touched;
    }
}
