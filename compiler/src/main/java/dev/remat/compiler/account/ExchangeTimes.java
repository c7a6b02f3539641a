package dev.remat.compiler.account;

import dev.remat.compiler.account.RoundTimes.Exchanged;
import dev.remat.ir.execution.Section;
import dev.remat.ir.target.CostModel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * How long a step takes where ranks exchange what they compute, and how long its kernels wait for that. All ranks are
 * taken to come to an exchange at once.
 *
 * @param nanos of the step
 * @param lost what kernels lose to exchanges beside them
 * @param waits of kernels, the longest first; in the order of the plan where they are equal
 */
public record ExchangeTimes(double nanos, double lost, List<Wait> waits) {
    /**
     * For how long kernels wait in a step for one exchange of the plan.
     *
     * @param name of what it brings
     * @param step of the plan that it is
     * @param awaited the step in front of which they wait, as {@link Exchanged} has it
     */
    public record Wait(String name, int step, int awaited, double nanos) {}

    public ExchangeTimes {
        waits = List.copyOf(waits);
    }

    /** In which no kernel runs. */
    public double waited() {
        return waits.stream().mapToDouble(Wait::nanos).sum();
    }

    /** What the step would take if exchanges took no time. */
    public double alone() {
        return nanos - waited() - lost;
    }

    /** What of the step's time is not spent on exchanges. */
    public double efficiency() {
        return nanos == 0 ? 1 : alone() / nanos;
    }

    /** By what a plan was charged; empty without a link, or where costs are no times. */
    public static Optional<ExchangeTimes> of(PlanAccount account) {
        CostModel costs = account.compilation().costs();
        return account.link().filter(_ -> costs.isTime()).map(_ -> of(account.lanes(), account.times(costs)));
    }

    /** @param lanes of ranks that a link joins */
    static ExchangeTimes of(RoundTimes.Lanes lanes, StepTimes kernels) {
        List<Wait> waits = new ArrayList<>();
        double nanos = 0;
        double lost = 0;
        for (Section section : lanes.plan().sections()) {
            RoundTimes round = RoundTimes.of(lanes, section, kernels);
            nanos += section.times() * (double) round.end();
            for (Exchanged each : round.exchanges()) {
                double waited = section.times() * (double) each.waited();
                waits.add(new Wait(each.sent().name(), each.sent().step(), each.awaited(), waited));
                lost += section.times() * (double) lanes.lostTo(each.sent(), kernels);
            }
        }
        waits.sort(Comparator.comparingDouble((Wait wait) -> -wait.nanos()));
        return new ExchangeTimes(nanos, lost, waits);
    }
}
