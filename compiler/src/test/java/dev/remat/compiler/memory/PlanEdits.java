package dev.remat.compiler.memory;

import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.KernelStep.Placement;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Section;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;

/** Makes plans that differ from a good one in one place. */
record PlanEdits(ExecutionPlan plan) {
    ExecutionPlan steps(List<KernelStep> steps) {
        return new ExecutionPlan(
                plan.model(),
                plan.modelHash(),
                plan.target(),
                plan.seed(),
                plan.arenaBytes(),
                plan.inputs(),
                steps,
                steps.size() == plan.steps().size() ? plan.sections() : List.of(new Section(0, steps.size(), 1)),
                plan.outputs(),
                plan.transfers());
    }

    ExecutionPlan sections(Section... sections) {
        return new ExecutionPlan(
                plan.model(),
                plan.modelHash(),
                plan.target(),
                plan.seed(),
                plan.arenaBytes(),
                plan.inputs(),
                plan.steps(),
                List.of(sections),
                plan.outputs(),
                plan.transfers());
    }

    ExecutionPlan arenaBytes(long bytes) {
        return new ExecutionPlan(
                plan.model(),
                plan.modelHash(),
                plan.target(),
                plan.seed(),
                bytes,
                plan.inputs(),
                plan.steps(),
                plan.sections(),
                plan.outputs(),
                plan.transfers());
    }

    ExecutionPlan step(int index, UnaryOperator<KernelStep> edit) {
        List<KernelStep> steps = new ArrayList<>(plan.steps());
        steps.set(index, edit.apply(steps.get(index)));
        return steps(steps);
    }

    ExecutionPlan without(int index) {
        List<KernelStep> steps = new ArrayList<>(plan.steps());
        steps.remove(index);
        return steps(steps);
    }

    /** Step {@code from} runs right before step {@code to}. */
    ExecutionPlan moved(int from, int to) {
        List<KernelStep> steps = new ArrayList<>(plan.steps());
        steps.add(to, steps.remove(from));
        return steps(steps);
    }

    /** The value and all its readers move to another offset. */
    ExecutionPlan placed(int value, long offset) {
        List<KernelStep> steps = new ArrayList<>();
        for (KernelStep step : plan.steps()) {
            List<Placement> buffers = moved(step.buffers(), value, offset);
            steps.add(with(step, buffers, moved(step.results(), value, offset), step.workspace(), step.freed()));
        }
        return steps(steps);
    }

    private static List<Placement> moved(List<Placement> places, int value, long offset) {
        return places.stream()
                .map(place -> place.value() == value ? new Placement(value, offset) : place)
                .toList();
    }

    /** What the step leaves as {@code value} goes elsewhere, and nobody knows. */
    static KernelStep withResult(KernelStep s, int value, long offset) {
        return with(s, s.buffers(), moved(s.results(), value, offset), s.workspace(), s.freed());
    }

    private static KernelStep with(
            KernelStep s,
            List<Placement> buffers,
            List<Placement> results,
            ByteRange workspace,
            List<ByteRange> freed) {
        return new KernelStep(
                s.name(), s.role(), s.location(), s.recomputed(), s.body(), buffers, results, workspace, freed);
    }

    static KernelStep withWorkspace(KernelStep s, ByteRange workspace) {
        return with(s, s.buffers(), s.results(), workspace, s.freed());
    }

    static KernelStep withFreed(KernelStep s, List<ByteRange> freed) {
        return with(s, s.buffers(), s.results(), s.workspace(), freed);
    }

    /** The last step that reads a value, or -1. */
    int lastReader(int value) {
        for (int i = plan.steps().size() - 1; i >= 0; i--) {
            if (plan.steps().get(i).reads().stream().anyMatch(r -> r.value() == value)) {
                return i;
            }
        }
        return -1;
    }

    /** The step that writes a value. */
    int writer(int value) {
        for (int i = 0; i < plan.steps().size(); i++) {
            if (plan.steps().get(i).writes().stream().anyMatch(w -> w.value() == value)) {
                return i;
            }
        }
        throw new IllegalArgumentException("nothing writes %" + value);
    }

    List<MemoryWrite> writes() {
        return plan.steps().stream()
                .flatMap(step -> step.writes().stream())
                .sorted(Comparator.comparingInt(MemoryWrite::value))
                .toList();
    }
}
