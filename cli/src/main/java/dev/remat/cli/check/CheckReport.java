package dev.remat.cli.check;

import dev.remat.cli.check.PlanFinding.Outcome;
import dev.remat.runtime.check.GradientCheck;
import dev.remat.runtime.check.SlopeVerdict;
import java.util.List;
import java.util.Map;

/**
 * Everything that {@code check} found.
 *
 * @param steps that each plan was trained for
 * @param plans of the plan that keeps everything, then of others; of an artifact its one plan, in several ways
 * @param gradients none for an artifact
 * @param places in the model where parameters come from, by name
 */
public record CheckReport(
        int steps, List<PlanFinding> plans, List<GradientCheck.Finding> gradients, Map<String, String> places) {
    /** Whether no promise is broken; what is undecided breaks none. */
    public boolean holds() {
        return plans.stream().allMatch(PlanFinding::holds) && count(SlopeVerdict.FAULT) == 0;
    }

    /** What the first plan gave, in words. */
    public String reference() {
        return plans.getFirst().outcome() instanceof Outcome.Ran ran
                ? "losses of " + ran.trial().losses() + " and a state of "
                        + ran.trial().stateHash()
                : "";
    }

    /** Parameters of which this was found. */
    public long count(SlopeVerdict verdict) {
        return gradients.stream()
                .filter(finding -> finding.verdict() == verdict)
                .count();
    }

    /** The largest distance between a gradient and differences that agree. */
    public double largestGap() {
        return gradients.stream()
                .filter(finding -> finding.verdict() == SlopeVerdict.AGREES)
                .mapToDouble(finding -> finding.slope().gap())
                .max()
                .orElse(0);
    }

    /** Whether kernels received each arena as a whole and nothing beyond. */
    public boolean usesArenasExactly() {
        return plans.stream()
                .allMatch(plan -> !(plan.outcome() instanceof Outcome.Ran ran)
                        || ran.trial().usesTheArenaExactly());
    }

    /** Whether a plan takes less than the one that keeps everything. */
    public boolean savesMemory() {
        long most = arenaBytes(plans.getFirst());
        return plans.stream().anyMatch(plan -> arenaBytes(plan) < most);
    }

    private static long arenaBytes(PlanFinding plan) {
        return switch (plan.outcome()) {
            case Outcome.Ran ran -> ran.work().arenaBytes();
            case Outcome.SamePlan same -> same.work().arenaBytes();
            case Outcome.NoPlan _ -> Long.MAX_VALUE;
        };
    }

    /** Plans that were run. */
    public long distinctPlans() {
        return plans.stream()
                .filter(plan -> plan.outcome() instanceof Outcome.Ran)
                .count();
    }

    /** Plans that were run and gave other bits than the first. */
    public long differ() {
        return plans.stream()
                .filter(plan -> plan.outcome() instanceof Outcome.Ran ran
                        && !ran.difference().isEmpty())
                .count();
    }

    /** Plans that were run and compute something again. */
    public long recomputingPlans() {
        return plans.stream()
                .filter(plan ->
                        plan.outcome() instanceof Outcome.Ran ran && ran.work().recomputedNodes() > 0)
                .count();
    }
}
