package dev.remat.tests.promises;

import dev.remat.compiler.RealizedPlan;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.TransferEvent;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.Tier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs a plan of one section on a clock instead of a device: each lane in order, waiting for what the plan says. */
final class PlanClock {
    private final ExecutionPlan plan;
    private final Map<String, Tier> tiers = new LinkedHashMap<>();
    /** By place and direction: when the lane is free. */
    private final Map<String, Long> lanes = new LinkedHashMap<>();

    private final List<Long> ends = new ArrayList<>();
    private long kernels;

    private PlanClock(ExecutionPlan plan, List<Tier> tiers) {
        this.plan = plan;
        tiers.forEach(tier -> this.tiers.put(tier.name(), tier));
    }

    /**
     * Nanoseconds that a step takes.
     *
     * @param kernelNanos of each kernel
     * @param tiers that the plan's places are of
     */
    static long run(ExecutionPlan plan, long[] kernelNanos, List<Tier> tiers) {
        PlanClock clock = new PlanClock(plan, tiers);
        for (int step = 0; step <= kernelNanos.length; step++) {
            for (TransferEvent event : plan.transfers().events()) {
                if (event.before() == step) {
                    clock.pass(event);
                }
            }
            clock.kernels += step < kernelNanos.length ? kernelNanos[step] : 0;
        }
        long last = clock.kernels;
        for (long end : clock.ends) {
            last = Math.max(last, end);
        }
        return last;
    }

    /** What the nodes of each kernel of a plan of one section cost. */
    static long[] kernelNanos(RealizedPlan realized) {
        RematProblem problem = realized.body().planning().problem();
        OperatorSequence sequence = realized.body().sequence();
        int[] kernels = realized.whole().parts().getFirst().stepOfSequence();
        long[] nanos = new long[realized.kernels().kernels().size()];
        for (int t = 0; t < kernels.length; t++) {
            if (sequence.runs(t)) {
                nanos[kernels[t]] += problem.cost(sequence.node(t));
            }
        }
        return nanos;
    }

    private void pass(TransferEvent event) {
        switch (event) {
            case TransferEvent.Begin(int _, Transfer transfer) -> {
                String place = plan.transfers().places().get(transfer.place()).name();
                String lane = transfer.lane() + " " + place;
                long begin = Math.max(kernels, lanes.getOrDefault(lane, 0L));
                for (int other : transfer.waits()) {
                    begin = Math.max(begin, ends.get(other));
                }
                long bytes = transfer.range().bytes();
                Tier tier = tiers.get(place);
                long end = begin + (transfer.isStore() ? tier.storeNanos(bytes) : tier.fetchNanos(bytes));
                lanes.put(lane, end);
                ends.add(end);
            }
            case TransferEvent.Await(int _, int transfer) -> kernels = Math.max(kernels, ends.get(transfer));
        }
    }
}
