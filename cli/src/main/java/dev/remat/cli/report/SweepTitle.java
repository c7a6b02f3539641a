package dev.remat.cli.report;

import dev.remat.cli.console.ModelTitle;
import dev.remat.cli.option.SearchOptions;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.chunk.ChunkedLoss;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.Tier;
import dev.remat.ir.target.CostModel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/**
 * What a sweep is about.
 *
 * @param microBatches that a batch is cut into
 * @param target empty for a graph from elsewhere
 * @param measure what bytes mean: {@code arena}, or {@code peak} for a graph from elsewhere
 * @param costs name of the cost model; empty for a graph from elsewhere
 * @param spent what plans cost: time, or cost where it is of no known unit
 * @param tiers that plans may move values to
 * @param chunked losses that all plans compute in chunks
 */
public record SweepTitle(
        String name,
        SequencedMap<String, Long> symbols,
        int microBatches,
        String target,
        String measure,
        String costs,
        String spent,
        List<Tier> tiers,
        List<ChunkedLoss> chunked) {
    public SweepTitle {
        chunked = List.copyOf(chunked);
        tiers = List.copyOf(tiers);
    }

    public static SweepTitle of(PreparedStep step, SearchOptions search) {
        CostModel costs = search.costModel();
        return new SweepTitle(
                step.planning().problem().name(),
                step.model().extents(),
                step.rounds(),
                search.target().name(),
                "arena",
                costs.name(),
                costs.isTime() ? "time" : "cost",
                step.planning().problem().tiers(),
                step.chunked());
    }

    public static SweepTitle of(RematProblem problem) {
        return new SweepTitle(
                problem.name(),
                new LinkedHashMap<>(),
                1,
                "",
                "peak",
                "",
                problem.tiers().isEmpty() ? "cost" : "time",
                problem.tiers(),
                List.of());
    }

    /** What becomes of what plans cost beyond every node once. */
    public String lost() {
        return tiers.isEmpty() ? "recomputed" : "recomputed and waited";
    }

    /** {@code Gpt with B=8, T=64 on cpu}. */
    public String text() {
        return ModelTitle.of(name, symbols, microBatches)
                + (target.isEmpty() ? "" : " on " + target)
                + (tiers.isEmpty()
                        ? ""
                        : " with the " + tiers.stream().map(Tier::name).collect(Collectors.joining(" and the "))
                                + " below")
                + chunked.stream()
                        .map(loss -> ", " + loss.name() + " in " + loss.count() + " chunks")
                        .collect(Collectors.joining());
    }
}
