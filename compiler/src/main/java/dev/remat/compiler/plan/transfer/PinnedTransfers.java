package dev.remat.compiler.plan.transfer;

import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;

/**
 * Adds what pins ask to be offloaded to a sequence of a strategy that moves nothing: what it computes again stays as it
 * decided, and transfers get their places as those of strategies that move values do.
 */
final class PinnedTransfers {
    private PinnedTransfers() {}

    static OperatorSequence into(RematProblem problem, OperatorSequence alone, PlannerOptions options) {
        StorageGaps gaps = StorageGaps.of(problem);
        LabelledRuns runs = new LabelledRuns(problem, gaps);
        if (!runs.follow(LabelsOfSequence.of(problem, gaps, alone)) && !runs.follow(gaps.keepAll())) {
            throw new IllegalStateException("what pins ask for cannot be followed");
        }
        PlaceTransfers places =
                new PlaceTransfers(problem, runs, options.budgetBytes().orElse(0));
        places.place();
        return new OperatorSequence(
                alone.strategy(), places.sequence(alone.strategy()).steps().toArray(), alone.retained());
    }
}
