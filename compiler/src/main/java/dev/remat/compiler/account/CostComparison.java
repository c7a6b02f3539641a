package dev.remat.compiler.account;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.section.PlacedSection;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.target.KernelWork;
import dev.remat.ir.target.ProfileCost;
import dev.remat.ir.target.RooflineCost;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a roofline predicts for a plan's groups against what a profile measured, each as often as the plan runs it.
 *
 * @param predictor name of the roofline: the target's own
 * @param families groups that were measured, by {@link dev.remat.ir.target.KernelSignature#family}, longest first
 * @param kernels groups that were measured, by equal kernels, longest first
 * @param groups groups of the plan, without recomputations
 * @param groupsMeasured groups whose kernel is in the profile
 * @param estimatedNanos what the others cost, as the profile scales the roofline of its device
 */
public record CostComparison(
        String predictor,
        List<Line> families,
        List<Line> kernels,
        int groups,
        int groupsMeasured,
        long estimatedNanos) {
    /**
     * Sums over runs of alike kernels.
     *
     * @param name of the family, or of what the first of these groups makes
     * @param location of the first of these groups
     * @param runs in a step, recomputations included
     */
    public record Line(String name, Location location, int runs, long predictedNanos, long measuredNanos) {
        private Line plus(Line other) {
            return new Line(
                    name,
                    location,
                    runs + other.runs,
                    predictedNanos + other.predictedNanos,
                    measuredNanos + other.measuredNanos);
        }
    }

    public CostComparison {
        families = List.copyOf(families);
        kernels = List.copyOf(kernels);
    }

    /** Empty where the costs of the compilation were not measured. */
    static Optional<CostComparison> of(Compilation compilation) {
        return compilation.costs() instanceof ProfileCost profile && profile.isMeasured()
                ? Optional.of(of(compilation, profile))
                : Optional.empty();
    }

    public static CostComparison of(Compilation compilation, ProfileCost profile) {
        RooflineCost roofline = new RooflineCost(compilation.target().device());
        Map<String, Line> families = new LinkedHashMap<>();
        Map<String, Line> kernels = new LinkedHashMap<>();
        int groups = 0;
        int measured = 0;
        long estimated = 0;
        for (PlacedSection section : compilation.sections()) {
            PlanningProblem planning = section.planning();
            int[] runs = runs(section);
            groups += runs.length - planning.residents();
            for (int node = planning.residents(); node < runs.length; node++) {
                KernelWork work = planning.work(node);
                OptionalLong nanos = profile.measured(work);
                if (nanos.isEmpty()) {
                    estimated += runs[node] * profile.cost(work);
                    continue;
                }
                measured++;
                Graph graph = planning.fused().graph();
                Node root = graph.node(planning.group(node).root());
                Line line = new Line(
                        graph.value(root.results().getFirst()).name(),
                        root.origin().location(),
                        runs[node],
                        runs[node] * roofline.cost(work),
                        runs[node] * nanos.getAsLong());
                kernels.merge(work.signature().key(), line, Line::plus);
                String family = work.signature().family();
                families.merge(family, named(family, line), Line::plus);
            }
        }
        return new CostComparison(
                roofline.name(), longestFirst(families), longestFirst(kernels), groups, measured, estimated);
    }

    /** How often each node runs in a step. */
    private static int[] runs(PlacedSection section) {
        int[] runs = new int[section.planning().problem().nodeCount()];
        section.sequence().nodes().forEach(node -> runs[node] += section.rounds());
        return runs;
    }

    private static Line named(String name, Line line) {
        return new Line(name, Location.NONE, line.runs(), line.predictedNanos(), line.measuredNanos());
    }

    private static List<Line> longestFirst(Map<String, Line> lines) {
        List<Line> sorted = new ArrayList<>(lines.values());
        sorted.sort(Comparator.comparingLong(Line::measuredNanos).reversed());
        return sorted;
    }

    /** Over all that was measured. */
    public Line total() {
        return families.stream().reduce(new Line("total", Location.NONE, 0, 0, 0), Line::plus);
    }
}
