package dev.remat.runtime.train;

import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.runtime.Executable;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;

/** Reads what a plan with scaled losses keeps of its updates, after a step. */
final class ScaledSteps {
    private final Executable executable;
    /** Updates that happened, by loss. */
    private final List<ArenaTensor> counters;

    private final Optional<ArenaTensor> scale;
    private long happened;
    private long skipped;
    /** By counter, what it was before the first step that was looked at. */
    private Optional<List<Double>> begun = Optional.empty();

    ScaledSteps(Executable executable) {
        ExecutionPlan plan = executable.plan();
        this.executable = executable;
        this.counters = plan.losses().stream()
                .map(PlanOutput::name)
                .map(ExecutionPlan::updatesOf)
                .flatMap(name -> find(plan, name).stream())
                .toList();
        this.scale = find(plan, ExecutionPlan.LOSS_SCALE);
    }

    private static Optional<ArenaTensor> find(ExecutionPlan plan, String name) {
        return plan.inputs().stream()
                .filter(input -> input.kind().isPersistent() && input.name().equals(name))
                .findFirst();
    }

    /** Looks at the state before a step. */
    void before() {
        List<Double> counted = counts();
        happened = sum(counted);
        begun = begun.or(() -> Optional.of(counted));
    }

    private List<Double> counts() {
        return counters.stream().map(this::read).toList();
    }

    private static long sum(List<Double> counts) {
        return counts.stream().mapToLong(Double::longValue).sum();
    }

    /** Whether there were steps, and none of them has updated all that a loss trains, whose scale will not fall. */
    boolean isStuck() {
        List<Double> now = counts();
        return scale.isEmpty()
                && begun.filter(before -> IntStream.range(0, now.size())
                                .anyMatch(i -> now.get(i).equals(before.get(i))))
                        .isPresent();
    }

    private double read(ArenaTensor scalar) {
        return Scalars.read(
                executable.read(scalar.offset(), scalar.type().bytes()),
                scalar.type().dtype(),
                0);
    }

    /**
     * How step {@code step} went, which is over; empty if no loss is scaled.
     *
     * @throws NotANumberException if gradients overflow at every scale
     */
    Optional<ScaledStep> after(long step) {
        if (counters.isEmpty()) {
            return Optional.empty();
        }
        long missing = counters.size() - (sum(counts()) - happened);
        skipped += missing;
        OptionalDouble next = scale.map(this::read).map(OptionalDouble::of).orElseGet(OptionalDouble::empty);
        if (next.isPresent() && next.getAsDouble() < Float.MIN_NORMAL) {
            throw new NotANumberException(
                    step, Location.NONE, "a gradient of step " + step + " is not finite, however small the loss scale");
        }
        return Optional.of(new ScaledStep(missing > 0, skipped, next));
    }
}
