package dev.remat.compiler.memory;

import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.ir.ValueId;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Brings kernels together that a target runs at once, after everything has its place: a kernel moves up to an earlier
 * one of its kind, or those wait for it, past kernels that touch none of its bytes. So neither the arena nor what is
 * recomputed depends on it, and a plan with little room to spare just has more launches.
 *
 * <pre>
 * before: cast %w1   matmul   cast %w2   matmul      the copy of w2 lies where nothing lay before
 * after:  cast %w1   cast %w2   matmul   matmul
 * </pre>
 */
public final class GatherKernels {
    /** Kernels in their order, and where they find everything. */
    public record Gathered(KernelGraph kernels, MemoryPlan memory) {}

    /** Kernels that run at once, or one that runs alone. */
    private record Batch(List<Integer> kernels) {}

    /** Of one kind; the oldest is given up for another. */
    private static final int MOST_OPEN = 4;

    private final KernelGraph kernelGraph;
    private final MemoryPlan memory;
    private final TargetModel target;
    private final List<Touched> touched = new ArrayList<>();
    private final List<Batch> order = new ArrayList<>();
    /** Batches that have room, by kind. */
    private final Map<String, List<Batch>> open = new LinkedHashMap<>();

    private GatherKernels(KernelGraph kernelGraph, MemoryPlan memory, TargetModel target) {
        this.kernelGraph = kernelGraph;
        this.memory = memory;
        this.target = target;
    }

    public static Gathered run(KernelGraph kernelGraph, MemoryPlan memory, TargetModel target) {
        return target.mostTogether() == 1
                        || !kernelGraph.moves().isEmpty()
                        || !kernelGraph.homes().isEmpty()
                ? new Gathered(kernelGraph, memory)
                : new GatherKernels(kernelGraph, memory, target).run();
    }

    private Gathered run() {
        List<FusionGroup> kernels = kernelGraph.kernels();
        for (int k = 0; k < kernels.size(); k++) {
            touched.add(touched(k));
            Optional<String> kind = target.runsTogether(kernels.get(k).body());
            if (kind.isEmpty() || !joins(k, kind.get())) {
                Batch alone = new Batch(new ArrayList<>(List.of(k)));
                order.add(alone);
                kind.ifPresent(key -> offer(key, alone));
            }
        }
        List<Integer> sequence =
                order.stream().flatMap(batch -> batch.kernels().stream()).toList();
        KernelGraph gathered = new KernelGraph(
                kernelGraph.graph(),
                kernelGraph.layouts(),
                sequence.stream().map(kernels::get).toList());
        return new Gathered(gathered, new MovedKernels(kernelGraph, sequence, target.alignment()).apply(memory));
    }

    private void offer(String kind, Batch batch) {
        List<Batch> batches = open.computeIfAbsent(kind, key -> new ArrayList<>());
        batches.add(batch);
        if (batches.size() > MOST_OPEN) {
            batches.removeFirst();
        }
    }

    /** Whether the kernel could join a batch of its kind, the earliest that it can. */
    private boolean joins(int kernel, String kind) {
        List<Batch> batches = open.getOrDefault(kind, List.of());
        Optional<Batch> joined =
                batches.stream().filter(batch -> joins(kernel, batch)).findFirst();
        joined.filter(batch -> batch.kernels().size() == target.mostTogether()).ifPresent(batches::remove);
        return joined.isPresent();
    }

    /** Whether the kernel could join the batch, at its place or at the end. */
    private boolean joins(int kernel, Batch batch) {
        if (!isApart(batch, kernel)) {
            return false;
        }
        int at = order.lastIndexOf(batch);
        List<Batch> later = order.subList(at + 1, order.size());
        if (later.stream().allMatch(other -> isApart(other, kernel))) {
            batch.kernels().add(kernel);
            return true;
        }
        boolean waits =
                later.stream().allMatch(other -> other.kernels().stream().allMatch(each -> isApart(batch, each)));
        if (waits) {
            order.remove(at);
            order.add(batch);
            batch.kernels().add(kernel);
        }
        return waits;
    }

    /** Whether the kernel may change places with all of a batch. */
    private boolean isApart(Batch batch, int kernel) {
        return batch.kernels().stream().allMatch(each -> touched.get(each).isApart(touched.get(kernel)));
    }

    /** Bytes that a kernel reads and writes. */
    private record Touched(List<ByteRange> read, List<ByteRange> written) {
        boolean isApart(Touched other) {
            return none(written, other.written) && none(written, other.read) && none(read, other.written);
        }

        /** Plain loops: every kernel that could be gathered is held against all that come before it. */
        private static boolean none(List<ByteRange> some, List<ByteRange> others) {
            for (ByteRange a : some) {
                for (ByteRange b : others) {
                    if (a.overlaps(b)) {
                        return false;
                    }
                }
            }
            return true;
        }
    }

    private Touched touched(int kernel) {
        FusionGroup group = kernelGraph.kernels().get(kernel);
        List<ByteRange> written = new ArrayList<>();
        group.writes().forEach(write -> written.add(range(write)));
        group.overwrites().forEach(resident -> written.add(range(resident)));
        written.add(memory.workspaces().get(kernel));
        return new Touched(group.reads().stream().map(this::range).toList(), written);
    }

    private ByteRange range(ValueId buffer) {
        return new ByteRange(
                memory.offsets().get(buffer), kernelGraph.graph().type(buffer).bytes());
    }
}
