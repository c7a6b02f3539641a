package dev.remat.compiler;

import java.util.List;

/**
 * No plan fits the budget.
 *
 * <p>The floor is proven: residents and the largest working set of a single kernel need that much whatever is
 * recomputed.
 */
public final class BudgetException extends RuntimeException {
    private final long budgetBytes;
    private final long floorBytes;
    private final long smallestFoundBytes;
    private final List<String> tensors;

    /** @param tensors what is live where the smallest plan found has its peak, largest first */
    public BudgetException(long budgetBytes, long floorBytes, long smallestFoundBytes, List<String> tensors) {
        super("no plan fits " + budgetBytes + " bytes: the smallest found needs " + smallestFoundBytes
                + ", and no plan needs less than " + floorBytes);
        this.budgetBytes = budgetBytes;
        this.floorBytes = floorBytes;
        this.smallestFoundBytes = smallestFoundBytes;
        this.tensors = List.copyOf(tensors);
    }

    public long budgetBytes() {
        return budgetBytes;
    }

    public long floorBytes() {
        return floorBytes;
    }

    public long smallestFoundBytes() {
        return smallestFoundBytes;
    }

    public List<String> tensors() {
        return tensors;
    }
}
