package dev.remat.compiler.account;

import dev.remat.compiler.kernel.BufferMove;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.MoveTimes;
import dev.remat.compiler.section.WholeStep;
import dev.remat.ir.Alignment;
import dev.remat.ir.ValueId;
import java.util.ArrayList;
import java.util.List;

/**
 * What lies in a place below the arena, from step {@code first} through step {@code last}.
 *
 * @param value that it holds, before planning
 * @param place number among those of the plan's transfers
 * @param bytes in whole blocks of a transfer
 */
public record Copy(ValueId value, int place, long bytes, int first, int last) {
    /**
     * Inputs that live there, which are there always, then what is stored, in the order of the stores.
     *
     * @param alignment of what is moved, in bytes
     */
    static List<Copy> all(WholeStep step, long alignment) {
        KernelGraph kernels = step.kernels();
        int last = Math.max(0, kernels.kernels().size() - 1);
        MoveTimes times = new MoveTimes(kernels);
        List<Copy> copies = new ArrayList<>();
        kernels.homes().forEach((input, tier) -> copies.add(of(step, new ValueId(input), alignment, tier, 0, last)));
        for (int number = 0; number < kernels.moves().size(); number++) {
            if (kernels.moves().get(number) instanceof BufferMove.Store store
                    && store.home().isEmpty()) {
                int first = Math.min(store.before(), last);
                int end = Math.min(times.lastFetched(number) - 1, last);
                copies.add(of(step, store.buffer(), alignment, store.tier(), first, end));
            }
        }
        return copies;
    }

    private static Copy of(WholeStep step, ValueId planned, long alignment, int place, int first, int last) {
        long bytes = Alignment.up(step.kernels().graph().type(planned).bytes(), alignment);
        return new Copy(step.from().get(planned), place, bytes, first, last);
    }
}
