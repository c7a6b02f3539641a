package dev.remat.cli.report;

import dev.remat.cli.console.ModelTitle;
import dev.remat.cli.option.SearchOptions;
import dev.remat.compiler.PreparedStep;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.target.CostModel;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * What a sweep is about.
 *
 * @param microBatches that a batch is cut into
 * @param target empty for a graph from elsewhere
 * @param measure what bytes mean: {@code arena}, or {@code peak} for a graph from elsewhere
 * @param costs name of the cost model; empty for a graph from elsewhere
 * @param spent what plans cost: time, or cost where it is of no known unit
 */
public record SweepTitle(
        String name,
        SequencedMap<String, Long> symbols,
        int microBatches,
        String target,
        String measure,
        String costs,
        String spent) {
    public static SweepTitle of(PreparedStep step, SearchOptions search) {
        CostModel costs = search.costModel();
        return new SweepTitle(
                step.planning().problem().name(),
                step.model().extents(),
                step.rounds(),
                search.target().name(),
                "arena",
                costs.name(),
                costs.isTime() ? "time" : "cost");
    }

    public static SweepTitle of(RematProblem problem) {
        return new SweepTitle(problem.name(), new LinkedHashMap<>(), 1, "", "peak", "", "cost");
    }

    /** {@code Gpt with B=8, T=64 on cpu}. */
    public String text() {
        return ModelTitle.of(name, symbols, microBatches) + (target.isEmpty() ? "" : " on " + target);
    }
}
