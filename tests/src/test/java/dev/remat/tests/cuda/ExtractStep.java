package dev.remat.tests.cuda;

import dev.remat.ir.Alignment;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/**
 * Makes a plan of a few steps out of a large one. What overlaps in the arena still does, and addresses keep their
 * alignment, so that the steps have the same kernels; the rest of the arena is gone.
 */
final class ExtractStep {
    private static final long ALIGNMENT = 256;

    private final List<KernelStep> steps;
    /** From the first byte of a range in the large arena to that in the small one. */
    private final TreeMap<Long, Long> places = new TreeMap<>();

    private long end;

    private ExtractStep(List<KernelStep> steps) {
        this.steps = steps;
    }

    /**
     * @param to exclusive
     * @param other a target whose workspace must suffice too
     */
    static ExecutionPlan run(ExecutionPlan plan, int from, int to, TargetModel other) {
        return new ExtractStep(plan.steps().subList(from, to)).extract(plan, other);
    }

    private ExecutionPlan extract(ExecutionPlan plan, TargetModel other) {
        List<ArenaTensor> numbers =
                plan.inputs().stream().filter(input -> input.kind().isOfStep()).toList();
        List<ByteRange> ranges = new ArrayList<>();
        for (KernelStep step : steps) {
            step.reads().forEach(read -> ranges.add(new ByteRange(read.offset(), read.bytes())));
            step.writes().forEach(write -> ranges.add(new ByteRange(write.offset(), write.bytes())));
        }
        numbers.forEach(number ->
                ranges.add(new ByteRange(number.offset(), number.type().bytes())));
        place(ranges);
        long scratch =
                steps.stream().mapToLong(step -> workspace(step, other)).max().orElseThrow();
        ByteRange workspace = new ByteRange(Alignment.up(end, ALIGNMENT), scratch);
        long bytes = Alignment.up(workspace.end(), ALIGNMENT);
        return new ExecutionPlan(
                plan.model(),
                "",
                plan.target(),
                plan.seed(),
                bytes,
                numbers.stream()
                        .map(n -> new ArenaTensor(
                                n.value(),
                                n.name(),
                                n.type(),
                                n.kind(),
                                n.initializer(),
                                move(n.offset()),
                                n.location()))
                        .toList(),
                steps.stream().map(step -> move(step, workspace)).toList(),
                List.of());
    }

    private KernelStep move(KernelStep step, ByteRange workspace) {
        return new KernelStep(
                step.name(),
                step.role(),
                step.location(),
                step.recomputed(),
                step.body(),
                step.buffers().stream().map(this::move).toList(),
                step.results().stream().map(this::move).toList(),
                workspace,
                List.of());
    }

    /** Puts runs of overlapping ranges one after another. */
    private void place(List<ByteRange> ranges) {
        ranges.sort(Comparator.comparingLong(ByteRange::offset));
        long runStart = -1;
        long runEnd = -1;
        long runPlace = 0;
        for (ByteRange range : ranges) {
            if (range.offset() >= runEnd) {
                runStart = range.offset();
                runPlace = Alignment.up(end, ALIGNMENT) + runStart % ALIGNMENT;
            }
            runEnd = Math.max(runEnd, range.end());
            places.put(range.offset(), runPlace + range.offset() - runStart);
            end = Math.max(end, runPlace + range.end() - runStart);
        }
    }

    private KernelStep.Placement move(KernelStep.Placement place) {
        return new KernelStep.Placement(place.value(), move(place.offset()));
    }

    private long move(long offset) {
        return places.get(offset);
    }

    private static long workspace(KernelStep step, TargetModel target) {
        return Math.max(step.workspace().bytes(), target.workspaceBytes(step.body()));
    }
}
