package dev.remat.compiler.report;

import dev.remat.compiler.kernel.BufferMove;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.MoveTimes;
import dev.remat.ir.Alignment;
import dev.remat.ir.ValueId;
import java.util.ArrayList;
import java.util.List;

/**
 * What lies below the arena, kernel by kernel; sizes in whole blocks of a transfer.
 *
 * @param copies inputs that live there, which are there always, then what is stored, in the order of the stores
 */
public record PlaceTimeline(List<Copy> copies) {
    /**
     * Bytes of a place that hold a tensor from kernel {@code first} through kernel {@code last}.
     *
     * @param value of the graph of the kernels: what lives there, or what was stored
     */
    public record Copy(ValueId value, int place, long bytes, int first, int last) {}

    public PlaceTimeline {
        copies = List.copyOf(copies);
    }

    /** @param alignment of what is moved, in bytes */
    public static PlaceTimeline of(KernelGraph kernels, long alignment) {
        int last = Math.max(0, kernels.kernels().size() - 1);
        MoveTimes times = new MoveTimes(kernels);
        List<Copy> copies = new ArrayList<>();
        kernels.homes().forEach((input, tier) -> {
            ValueId value = new ValueId(input);
            copies.add(new Copy(value, tier, bytes(kernels, value, alignment), 0, last));
        });
        for (int number = 0; number < kernels.moves().size(); number++) {
            if (kernels.moves().get(number) instanceof BufferMove.Store store
                    && store.home().isEmpty()) {
                copies.add(new Copy(
                        store.buffer(),
                        store.tier(),
                        bytes(kernels, store.buffer(), alignment),
                        Math.min(store.before(), last),
                        Math.min(times.lastFetched(number) - 1, last)));
            }
        }
        return new PlaceTimeline(copies);
    }

    private static long bytes(KernelGraph kernels, ValueId value, long alignment) {
        return Alignment.up(kernels.graph().type(value).bytes(), alignment);
    }
}
