package dev.remat.compiler.search;

import dev.remat.ir.diagnostic.Count;

/** The plan that was found takes more of a place below the arena than there is. */
public final class PlaceBudgetException extends RuntimeException {
    private final String place;
    private final long budgetBytes;
    private final long planBytes;

    /** @param place the tier's name */
    public PlaceBudgetException(String place, long budgetBytes, long planBytes) {
        super("the plan takes " + Count.bytes(planBytes) + " of '" + place + "', which has " + budgetBytes);
        this.place = place;
        this.budgetBytes = budgetBytes;
        this.planBytes = planBytes;
    }

    public String place() {
        return place;
    }

    public long budgetBytes() {
        return budgetBytes;
    }

    public long planBytes() {
        return planBytes;
    }
}
