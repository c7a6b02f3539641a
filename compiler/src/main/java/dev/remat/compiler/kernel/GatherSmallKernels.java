package dev.remat.compiler.kernel;

import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Brings kernels together that a target runs at once and that hardly take up memory, before anything has its place:
 * copies of biases are made with the first one, and updates of biases wait for the last. What lives longer for it is at
 * most a 256th of what the step, or a micro-batch, keeps between its runs.
 *
 * <pre>
 * before: cast %b1   matmul   cast %b2   matmul
 * after:  cast %b1   cast %b2   matmul   matmul
 * </pre>
 */
public final class GatherSmallKernels {
    /** Part of what is kept that a small tensor may take. */
    private static final int SHARE = 8192;

    /** Kernels that run at once, or one that runs alone. */
    private record Batch(List<FusionGroup> kernels) {}

    private final KernelGraph kernelGraph;
    private final Graph graph;
    private final TargetModel target;
    private final long small;
    private final List<Batch> order = new ArrayList<>();
    /** The last batch of each kind. */
    private final Map<String, Batch> latest = new LinkedHashMap<>();

    private GatherSmallKernels(KernelGraph kernelGraph, TargetModel target) {
        this.kernelGraph = kernelGraph;
        this.graph = kernelGraph.graph();
        this.target = target;
        this.small = graph.inputs().stream()
                        .filter(input -> input.kind().isUpdated())
                        .mapToLong(input -> graph.type(input.value()).bytes())
                        .sum()
                / SHARE;
    }

    public static KernelGraph run(KernelGraph kernelGraph, TargetModel target) {
        return target.mostTogether() == 1 ? kernelGraph : new GatherSmallKernels(kernelGraph, target).run();
    }

    private KernelGraph run() {
        for (FusionGroup kernel : kernelGraph.kernels()) {
            Optional<String> kind = isSmall(kernel) ? target.runsTogether(kernel.body()) : Optional.empty();
            if (kind.map(latest::get).filter(batch -> joins(kernel, batch)).isEmpty()) {
                Batch alone = new Batch(new ArrayList<>(List.of(kernel)));
                order.add(alone);
                kind.ifPresent(key -> latest.put(key, alone));
            }
        }
        return new KernelGraph(
                graph,
                kernelGraph.layouts(),
                order.stream().flatMap(batch -> batch.kernels().stream()).toList());
    }

    /** Whether nothing that the kernel makes, or reads of what the step makes, takes up much. */
    private boolean isSmall(FusionGroup kernel) {
        return kernel.writes().stream().allMatch(this::isSmall)
                && kernel.reads().stream()
                        .filter(read -> graph.value(read).producer().isPresent())
                        .allMatch(this::isSmall);
    }

    private boolean isSmall(ValueId value) {
        return graph.type(value).bytes() <= small;
    }

    /** Whether the kernel could join the batch, at its place or at the end. */
    private boolean joins(FusionGroup kernel, Batch batch) {
        if (batch.kernels().size() == target.mostTogether()
                || batch.kernels().stream().anyMatch(each -> needs(kernel, each) || needs(each, kernel))) {
            return false;
        }
        int at = order.lastIndexOf(batch);
        List<FusionGroup> later = order.subList(at + 1, order.size()).stream()
                .flatMap(other -> other.kernels().stream())
                .toList();
        boolean rises = later.stream().noneMatch(other -> needs(kernel, other) || needs(other, kernel));
        boolean waits = !rises
                && later.stream()
                        .noneMatch(other ->
                                batch.kernels().stream().anyMatch(each -> needs(other, each) || needs(each, other)));
        if (waits) {
            order.remove(at);
            order.add(batch);
        }
        if (rises || waits) {
            batch.kernels().add(kernel);
        }
        return rises || waits;
    }

    /** Whether one kernel reads or changes what the other makes or changes. */
    private boolean needs(FusionGroup one, FusionGroup other) {
        return meet(one.reads(), other.writes())
                || meet(one.reads(), graph.node(other.root()).results())
                || meet(one.reads(), other.overwrites())
                || meet(one.overwrites(), other.overwrites());
    }

    private static boolean meet(List<ValueId> some, List<ValueId> others) {
        return !Collections.disjoint(some, others);
    }
}
