package dev.remat.compiler.report;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.report.MemoryUse.Purpose;
import dev.remat.compiler.section.WholeStep;
import dev.remat.ir.Alignment;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.Node;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Everything that {@code remat plan} tells about a compilation; but for the seconds a function of the compilation's
 * arguments.
 *
 * @param peakLiveBytes largest sum of live bytes, which no layout can beat
 * @param peakTensor what is computed where most bytes are live
 * @param peakLocation the model line of it
 * @param movement where memory lies below the arena
 * @param measured predicted against measured times, where costs were measured
 */
public record PlanReport(
        Compilation compilation,
        MemoryUse memory,
        long peakLiveBytes,
        String peakTensor,
        Location peakLocation,
        WorkDone work,
        List<RetainedTensor> retained,
        List<RecomputedTensor> recomputed,
        List<LayerUse> layers,
        Optional<StepMovement> movement,
        Optional<CostComparison> measured) {
    public PlanReport {
        retained = List.copyOf(retained);
        recomputed = List.copyOf(recomputed);
        layers = List.copyOf(layers);
    }

    public static PlanReport of(Compilation compilation) {
        Graph graph = compilation.rematerialized().graph();
        WholeStep whole = compilation.whole();
        Graph planned = whole.kernels().graph();
        ArenaTimeline timeline = ArenaTimeline.of(whole, compilation.target().alignment());
        MemoryUse memory = MemoryUse.of(planned, timeline);
        FusionGroup peak = whole.kernels().kernels().get(memory.peakKernel());
        Node root = planned.node(peak.root());
        List<RetainedTensor> retained = RetainedTensor.of(graph);
        return new PlanReport(
                compilation,
                memory,
                whole.memory().peakLiveBytes(),
                planned.value(root.results().getFirst()).name(),
                root.origin().location(),
                WorkDone.of(compilation.sections()),
                retained,
                RecomputedTensor.of(compilation),
                LayerUse.of(compilation, retained),
                StepMovement.of(compilation),
                CostComparison.of(compilation));
    }

    /** Bytes of parameters and their optimizer state that are in the arena throughout, as every plan needs them. */
    public long residentBytes() {
        KernelGraph kernels = compilation.whole().kernels();
        Purposes purposes = Purposes.of(kernels);
        return kernels.graph().inputs().stream()
                .map(GraphInput::value)
                .filter(input -> !kernels.livesBelow(input))
                .filter(input -> purposes.of(input) == Purpose.PARAMETER || purposes.of(input) == Purpose.OPTIMIZER)
                .mapToLong(input -> Alignment.up(
                        kernels.graph().type(input).bytes(),
                        compilation.target().alignment()))
                .sum();
    }

    /** Bytes of the budget that the arena leaves; empty without a budget. */
    public OptionalLong spareBytes() {
        OptionalLong budget = compilation.search().budgetBytes();
        return budget.isPresent()
                ? OptionalLong.of(budget.getAsLong() - compilation.memory().arenaBytes())
                : OptionalLong.empty();
    }

    /** Whether no plan that the bound covers costs less than this one. */
    public boolean proven() {
        return compilation.evaluation().cost() <= compilation.search().bound().cost();
    }

    /** Arena over the largest sum of live bytes, which no layout can beat; 1 where nothing is lost. */
    public double fragmentation() {
        return peakLiveBytes == 0 ? 1 : (double) compilation.memory().arenaBytes() / peakLiveBytes;
    }
}
