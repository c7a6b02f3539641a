package dev.remat.tests.promises;

import dev.remat.compiler.RealizedPlan;
import dev.remat.compiler.section.SectionPart;
import dev.remat.compiler.section.WholeStep;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Section;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.TransferEvent;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.Tier;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs a plan on a clock instead of a device: each lane in order, waiting for what the plan says. */
final class PlanClock {
    private final ExecutionPlan plan;
    private final Map<String, Tier> tiers = new LinkedHashMap<>();
    /** By place and direction: when the lane is free. */
    private final Map<String, Long> lanes = new LinkedHashMap<>();

    private final Map<Integer, Long> ends = new LinkedHashMap<>();
    /** Of stores that run on from the step before. */
    private final Map<Integer, Long> endsBefore = new LinkedHashMap<>();

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
        return run(plan, kernelNanos, tiers, 1);
    }

    /** The same of several steps, of which each begins when the kernels of the one before are done. */
    static long run(ExecutionPlan plan, long[] kernelNanos, List<Tier> tiers, int steps) {
        PlanClock clock = new PlanClock(plan, tiers);
        for (int step = 0; step < steps; step++) {
            for (Section section : plan.sections()) {
                for (int round = 0; round < section.times(); round++) {
                    clock.run(section, kernelNanos);
                }
            }
            clock.endsBefore.clear();
            plan.transfers().runningOn().forEach(store -> clock.endsBefore.put(store, clock.ends.get(store)));
            clock.ends.clear();
        }
        return Math.max(clock.kernels, clock.endsBefore.values().stream().reduce(0L, Math::max));
    }

    private void run(Section section, long[] kernelNanos) {
        for (int step = section.from(); step < section.to(); step++) {
            pass(step);
            kernels += kernelNanos[step];
        }
        if (section.to() == kernelNanos.length) {
            pass(section.to());
        }
        ends.forEach((number, end) -> {
            if (!plan.transfers().runningOn().contains(number)) {
                kernels = Math.max(kernels, end);
            }
        });
    }

    private void pass(int step) {
        int number = 0;
        for (TransferEvent event : plan.transfers().events()) {
            if (event.before() == step) {
                pass(event, number);
            }
            number += event instanceof TransferEvent.Begin ? 1 : 0;
        }
    }

    /** What the nodes of each kernel of a plan cost. */
    static long[] kernelNanos(RealizedPlan realized) {
        WholeStep whole = realized.whole();
        long[] nanos = new long[whole.kernels().kernels().size()];
        for (SectionPart part : whole.parts()) {
            RematProblem problem = part.section().planning().problem();
            OperatorSequence sequence = part.section().sequence();
            int[] kernels = part.stepOfSequence();
            for (int t = 0; t < kernels.length; t++) {
                if (sequence.runs(t)) {
                    nanos[kernels[t]] += problem.cost(sequence.node(t));
                }
            }
        }
        return nanos;
    }

    private void pass(TransferEvent event, int number) {
        switch (event) {
            case TransferEvent.Begin(int _, Transfer transfer) -> {
                String place = plan.transfers().places().get(transfer.place()).name();
                String lane = transfer.lane() + " " + place;
                long begin = Math.max(kernels, lanes.getOrDefault(lane, 0L));
                for (int other : transfer.waits()) {
                    begin = Math.max(begin, end(other));
                }
                long bytes = transfer.range().bytes();
                Tier tier = tiers.get(place);
                long end = begin + (transfer.isStore() ? tier.storeNanos(bytes) : tier.fetchNanos(bytes));
                kernels += tier.interferenceNanos(bytes);
                lanes.put(lane, end);
                ends.put(number, end);
            }
            case TransferEvent.Await(int _, int transfer) -> kernels = Math.max(kernels, end(transfer));
        }
    }

    /** Of this step, or of the one before; a first step has none before it. */
    private long end(int transfer) {
        return ends.getOrDefault(transfer, endsBefore.getOrDefault(transfer, 0L));
    }
}
