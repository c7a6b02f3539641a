package dev.remat.tests.promises;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.KernelStep.Placement;
import dev.remat.ir.execution.PlanOutput;
import java.util.List;

/** The same plan, all of it some bytes further on in its arena, which grows by them; for plans that move nothing. */
final class ShiftPlan {
    private final long bytes;

    private ShiftPlan(long bytes) {
        this.bytes = bytes;
    }

    static ExecutionPlan run(ExecutionPlan plan, long bytes) {
        if (!plan.transfers().isEmpty()) {
            throw new IllegalArgumentException("what is moved would lie elsewhere in its place too");
        }
        ShiftPlan pass = new ShiftPlan(bytes);
        return new ExecutionPlan(
                plan.model(),
                plan.modelHash(),
                plan.target(),
                plan.seed(),
                plan.arenaBytes() + bytes,
                plan.inputs().stream().map(pass::input).toList(),
                plan.steps().stream().map(pass::step).toList(),
                plan.sections(),
                plan.outputs().stream().map(pass::output).toList(),
                plan.transfers());
    }

    private ArenaTensor input(ArenaTensor input) {
        return new ArenaTensor(
                input.value(),
                input.name(),
                input.type(),
                input.kind(),
                input.initializer(),
                input.place(),
                input.offset() + bytes,
                input.location(),
                input.rows(),
                input.share());
    }

    private KernelStep step(KernelStep step) {
        return new KernelStep(
                step.name(),
                step.role(),
                step.location(),
                step.recomputed(),
                step.body(),
                placements(step.buffers()),
                placements(step.results()),
                range(step.workspace()),
                step.freed().stream().map(this::range).toList());
    }

    private List<Placement> placements(List<Placement> places) {
        return places.stream()
                .map(place -> new Placement(place.value(), place.offset() + bytes))
                .toList();
    }

    private ByteRange range(ByteRange range) {
        return new ByteRange(range.offset() + bytes, range.bytes());
    }

    private PlanOutput output(PlanOutput output) {
        return new PlanOutput(
                output.name(), output.value(), output.type(), output.offset() + bytes, output.readyAfter());
    }
}
