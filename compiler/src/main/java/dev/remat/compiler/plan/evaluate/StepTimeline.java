package dev.remat.compiler.plan.evaluate;

import java.util.List;

/**
 * When each step of a sequence happens, in nanoseconds from the step's beginning.
 *
 * @param begin per step: when a node begins to run, a transfer to move bytes, or an await to wait
 * @param end per step
 * @param waits what the compute lane waited for, in order
 * @param interference what nodes lost to transfers
 * @param makespan when the last lane is done
 */
public record StepTimeline(long[] begin, long[] end, List<Wait> waits, long interference, long makespan) {
    /**
     * Time in which the compute lane had nothing to do.
     *
     * @param step at which it waited: a node, or the await of a store
     * @param transfer the step of the transfer that it waited for
     */
    public record Wait(int step, int transfer, long nanos) {}

    public StepTimeline {
        waits = List.copyOf(waits);
    }
}
