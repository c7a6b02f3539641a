package dev.remat.compiler.search;

import dev.remat.compiler.plan.evaluate.LiveTensors;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.plan.Tier;
import java.util.List;

/**
 * No plan fits the budget.
 *
 * <p>The floor is proven: residents and the largest working set of a single kernel need that much whatever is
 * recomputed.
 */
public final class BudgetException extends RuntimeException {
    private final long budgetBytes;
    private final MemoryFloor floor;
    private final long smallestFoundBytes;
    private final List<LiveTensors.Tensor> tensors;
    private final List<Tier> below;
    private final boolean endedEarly;
    private final List<CutFloor> cut;

    /**
     * @param tensors what is live where the smallest plan found has its peak, largest first
     * @param below where tensors could have been moved to
     * @param endedEarly whether the search was ended before it had tried all that it would have tried
     */
    public BudgetException(
            long budgetBytes,
            MemoryFloor floor,
            long smallestFoundBytes,
            List<LiveTensors.Tensor> tensors,
            List<Tier> below,
            boolean endedEarly) {
        this(budgetBytes, floor, smallestFoundBytes, tensors, below, endedEarly, List.of());
    }

    private BudgetException(
            long budgetBytes,
            MemoryFloor floor,
            long smallestFoundBytes,
            List<LiveTensors.Tensor> tensors,
            List<Tier> below,
            boolean endedEarly,
            List<CutFloor> cut) {
        super("no plan fits " + Count.bytes(budgetBytes) + ": the smallest found needs " + smallestFoundBytes
                + ", and no plan needs less than " + floor.bytes());
        this.budgetBytes = budgetBytes;
        this.floor = floor;
        this.smallestFoundBytes = smallestFoundBytes;
        this.tensors = List.copyOf(tensors);
        this.below = List.copyOf(below);
        this.endedEarly = endedEarly;
        this.cut = List.copyOf(cut);
    }

    /** The same, which says what the step would need at least if more of it were cut. */
    public BudgetException with(List<CutFloor> floors) {
        return new BudgetException(budgetBytes, floor, smallestFoundBytes, tensors, below, endedEarly, floors);
    }

    public long budgetBytes() {
        return budgetBytes;
    }

    public MemoryFloor floor() {
        return floor;
    }

    public long smallestFoundBytes() {
        return smallestFoundBytes;
    }

    public List<LiveTensors.Tensor> tensors() {
        return tensors;
    }

    /** Where tensors could have been moved to, with the bytes that each place has. */
    public List<Tier> below() {
        return below;
    }

    public boolean endedEarly() {
        return endedEarly;
    }

    /** What the step would need at least if more of it were cut, where that is less. */
    public List<CutFloor> cut() {
        return cut;
    }

    /** Whether no plan can exist, rather than none was found. */
    public boolean proven() {
        return budgetBytes < floor.bytes();
    }
}
