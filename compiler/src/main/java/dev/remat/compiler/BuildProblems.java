package dev.remat.compiler;

import dev.remat.compiler.fusion.FuseGraph;
import dev.remat.compiler.fusion.FusedGraph;
import dev.remat.compiler.remat.BuildProblem;
import dev.remat.compiler.remat.ChooseSlices;
import dev.remat.compiler.remat.GiveHomes;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.section.SectionGraphs;
import dev.remat.compiler.section.SplitUpdates;
import dev.remat.compiler.stage.PassListener;
import dev.remat.compiler.stage.StageRunner;
import dev.remat.compiler.training.StepGraph;
import dev.remat.ir.graph.GraphVerifier;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.TargetModel;
import dev.remat.ir.text.GraphPrinter;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * The graphs of a step to planning problems: fuses each, says what lives below the arena, and where that is so, has the
 * state of updates that would need most of all kept in slices.
 *
 * @param giveHomes to what the section that is planned is given, beside the others
 */
record BuildProblems(
        TargetModel target,
        CostModel costs,
        BiFunction<PlanningProblem, List<PlanningProblem>, PlanningProblem> giveHomes,
        PassListener passes,
        StageRunner stages) {
    /**
     * Sections as problems, with what lives below in the same tiers in all.
     *
     * @param body the one that is planned
     */
    record SectionProblems(PlanningProblem body, List<PlanningProblem> before, List<PlanningProblem> after) {
        List<PlanningProblem> all() {
            return Stream.of(before, List.of(body), after).flatMap(List::stream).toList();
        }
    }

    SectionProblems run(SectionGraphs sections) {
        SectionProblems whole = problems(sections);
        SortedMap<String, Integer> slices =
                stages.run("plan", () -> ChooseSlices.run(whole.all(), target.transferAlignment()));
        return slices.isEmpty() ? whole : inSlices(sections, slices).orElse(whole);
    }

    /** Nothing if no tier holds the state so: slices are padded, too. */
    private Optional<SectionProblems> inSlices(SectionGraphs sections, SortedMap<String, Integer> slices) {
        SectionGraphs split = stages.run(
                "fusion",
                () -> SplitUpdates.run(sections, slices),
                made -> made.all().forEach(GraphVerifier::verify));
        passes.ran("split-updates", split.body().graph());
        stages.dump("split", () -> GraphPrinter.print(split.body().graph()));
        return Optional.of(problems(split))
                .filter(problems -> !GiveHomes.of(problems.body()).isEmpty());
    }

    private SectionProblems problems(SectionGraphs sections) {
        FusedGraph fused = fuse(sections.body(), passes);
        stages.dump("groups", () -> Dumps.groups(fused));
        PlanningProblem alone = stages.run("plan", () -> BuildProblem.run(fused, target, costs));
        List<PlanningProblem> before = beside(sections.counted());
        List<PlanningProblem> after = beside(sections.updates());
        PlanningProblem body = stages.run(
                "plan",
                () -> giveHomes.apply(
                        alone, Stream.concat(before.stream(), after.stream()).toList()));
        return new SectionProblems(body, living(before, body), living(after, body));
    }

    private FusedGraph fuse(StepGraph step, PassListener listener) {
        return stages.run(
                "fusion",
                () -> FuseGraph.run(step.graph(), target, listener),
                made -> GraphVerifier.verify(made.graph()));
    }

    /** A section that runs as it is, beside the one that is planned. */
    private List<PlanningProblem> beside(Optional<StepGraph> section) {
        return section.stream()
                .map(graph -> fuse(graph, PassListener.NONE))
                .map(fused -> stages.run("plan", () -> BuildProblem.run(fused, target, costs)))
                .toList();
    }

    /** With what lives below where the planned section has it. */
    private List<PlanningProblem> living(List<PlanningProblem> sections, PlanningProblem planned) {
        return sections.stream()
                .map(section -> GiveHomes.beside(
                        section, GiveHomes.of(planned), planned.problem().tiers(), target.transferAlignment()))
                .toList();
    }
}
