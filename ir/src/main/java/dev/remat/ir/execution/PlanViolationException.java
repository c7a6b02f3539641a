package dev.remat.ir.execution;

/** A plan, or what runs it, breaks a promise about memory; never the fault of a model. */
public final class PlanViolationException extends RuntimeException {
    private final int step;
    private final ByteRange range;

    /**
     * @param step index of the step at fault, or -1 where the plan as a whole is
     * @param where the step in words
     * @param tensor name of the tensor at fault
     * @param range bytes of the arena at fault
     * @param problem what is wrong with them
     */
    public PlanViolationException(int step, String where, String tensor, ByteRange range, String problem) {
        super("%s: '%s' in bytes [%d, %d): %s".formatted(where, tensor, range.offset(), range.end(), problem));
        this.step = step;
        this.range = range;
    }

    public int step() {
        return step;
    }

    public ByteRange range() {
        return range;
    }
}
