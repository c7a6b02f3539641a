package dev.remat.ir.target;

/** Every kernel costs 1. */
public record UnitCost() implements CostModel {
    @Override
    public String name() {
        return "unit";
    }

    @Override
    public long cost(KernelWork work) {
        return 1;
    }

    @Override
    public boolean isTime() {
        return false;
    }
}
