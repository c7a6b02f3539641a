package dev.remat.compiler.account;

import dev.remat.compiler.section.PlacedSection;
import dev.remat.compiler.section.SectionPart;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.KernelWork;
import dev.remat.ir.target.ProfileCost;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * How long each step of a plan takes each time that it runs, by one reckoning.
 *
 * @param source what reckons: the name of a cost model, or in words what was measured
 * @param isTime whether costs are nanoseconds
 * @param costs by step
 * @param estimated steps that an otherwise measured reckoning knows no time of
 */
public record StepTimes(String source, boolean isTime, List<Long> costs, BitSet estimated) {
    public StepTimes {
        costs = List.copyOf(costs);
        estimated = (BitSet) estimated.clone();
    }

    /** @param nanos of every step, as it was measured */
    public static StepTimes measured(String source, List<Long> nanos) {
        return new StepTimes(source, true, nanos, new BitSet());
    }

    /** By a cost model, which is charged for every fusion group as planning is. */
    static StepTimes of(PlanIndex index, CostModel costs) {
        long[] sums = new long[index.stepCount()];
        BitSet estimated = new BitSet();
        for (SectionPart part : index.whole().parts()) {
            PlacedSection section = part.section();
            int[] steps = part.stepOfSequence();
            for (int t = 0; t < steps.length; t++) {
                if (!section.sequence().runs(t)) {
                    continue;
                }
                KernelWork work = section.planning().work(section.sequence().node(t));
                sums[steps[t]] += costs.cost(work);
                if (costs instanceof ProfileCost profile
                        && profile.measured(work).isEmpty()) {
                    estimated.set(steps[t]);
                }
            }
        }
        List<Long> byKernel = new ArrayList<>();
        for (long sum : sums) {
            byKernel.add(sum);
        }
        return new StepTimes(costs.name(), costs.isTime(), byKernel, estimated);
    }

    public long cost(int step) {
        return costs.get(step);
    }
}
