package dev.remat.compiler.training;

import dev.remat.compiler.training.TrainingGraph.ParameterGradient;
import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Mark;
import dev.remat.ir.graph.Origin;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.AllFinite;
import dev.remat.ir.op.Assign;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.ConditionalUpdate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Scales losses, and lets the updates of one whose gradients overflow not happen. Each loss counts its updates, since
 * the bias corrections of optimizers know these and not steps; the scale is common.
 *
 * <pre>
 * after: %scaled = cast(%scale)                   the gradient of the loss by itself
 *        …
 *        %finite = all_finite(%grad.w, %grad.b)
 *        update_if(%w, %grad.w, %rate, %factor, %finite)
 *        assign(%scale, %next)
 * </pre>
 */
final class ScaleLosses {
    private static final TensorType REAL = TensorType.scalar(DType.F32);
    private static final TensorType NUMBER = TensorType.scalar(DType.I64);

    /**
     * What updates of one loss go by.
     *
     * @param finite whether they happen
     * @param number of the update if it happens, from 1
     */
    record Attempt(ValueId finite, ValueId number) {}

    private final LossScaling scaling;
    private final GraphBuilder builder;
    private final ValueId scale;
    private final Optional<ValueId> tracker;
    private final Map<Objective, ValueId> counters = new LinkedHashMap<>();
    private final Map<Objective, Attempt> attempts = new LinkedHashMap<>();
    private Optional<ValueId> inverse = Optional.empty();

    private ScaleLosses(LossScaling scaling, GraphBuilder builder, Set<Objective> objectives) {
        this.scaling = scaling;
        this.builder = builder;
        switch (scaling) {
            case LossScaling.Dynamic dynamic -> {
                scale = state(ExecutionPlan.LOSS_SCALE, REAL, dynamic.initial());
                tracker = Optional.of(state("optimizer.growth_tracker", NUMBER, 0));
            }
            case LossScaling.Static fixed -> {
                backward();
                scale = builder.filled(fixed.scale(), REAL);
                tracker = Optional.empty();
            }
            case LossScaling.None _ -> throw new IllegalArgumentException("nothing is scaled");
        }
        for (Objective objective : objectives) {
            counters.put(objective, state(ExecutionPlan.updatesOf(objective.loss()), NUMBER, 0));
        }
    }

    /** Begins a graph; empty if nothing is scaled or trained. */
    static Optional<ScaleLosses> begin(LossScaling scaling, GraphBuilder builder, Set<Objective> objectives) {
        return scaling instanceof LossScaling.None || objectives.isEmpty()
                ? Optional.empty()
                : Optional.of(new ScaleLosses(scaling, builder, objectives));
    }

    private ValueId state(String name, TensorType type, double initial) {
        ValueId state = builder.input(name, type, InputKind.STATE, new Initializer.Constant(initial), Location.NONE);
        builder.mark(state, Mark.OPTIMIZER);
        return state;
    }

    private void backward() {
        builder.as(Role.BACKWARD).at(Origin.NONE);
    }

    /** The gradient of a loss by itself. */
    ValueId seed(DType dtype) {
        backward();
        return builder.cast(scale, dtype);
    }

    /** What gradients are multiplied by. */
    ValueId inverse() {
        if (inverse.isEmpty()) {
            backward();
            inverse = Optional.of(builder.div(builder.filled(1, REAL), scale));
        }
        return inverse.get();
    }

    /** Looks at every gradient of a loss. */
    Attempt attempt(Objective objective, List<ParameterGradient> gradients) {
        backward();
        List<ValueId> operands =
                gradients.stream().map(ParameterGradient::gradient).toList();
        ValueId finite = builder.emit(new AllFinite(), operands).getFirst();
        builder.rename(finite, "finite");
        Attempt attempt = new Attempt(finite, builder.plus(counters.get(objective), 1));
        attempts.put(objective, attempt);
        return attempt;
    }

    /** How the updates of a loss went; empty if it has no gradients. */
    Optional<Attempt> find(Objective objective) {
        return Optional.ofNullable(attempts.get(objective));
    }

    /** Counts updates and moves the scale, after the last loss. */
    void close() {
        backward();
        Optional<ValueId> allFinite =
                attempts.values().stream().map(Attempt::finite).reduce((a, b) -> builder.binary(Binary.Kind.AND, a, b));
        if (scaling instanceof LossScaling.Dynamic dynamic) {
            allFinite.ifPresent(finite -> move(dynamic, finite));
        }
        counters.forEach((objective, counter) -> find(objective)
                .ifPresent(attempt -> update().emit(
                                new ConditionalUpdate(new Assign()),
                                List.of(counter, attempt.number(), attempt.finite()))));
    }

    private void move(LossScaling.Dynamic dynamic, ValueId finite) {
        ValueId number = builder.plus(tracker.orElseThrow(), 1);
        ValueId due = builder.compare(Compare.Kind.EQ, number, dynamic.interval());
        ValueId zero = builder.filled(0, NUMBER);
        ValueId steps = builder.select(finite, builder.select(due, zero, number), zero);
        ValueId larger = builder.scale(scale, dynamic.growth());
        ValueId fits = builder.compare(Compare.Kind.LE, larger, Float.MAX_VALUE);
        ValueId grown = builder.select(due, builder.select(fits, larger, scale), scale);
        ValueId next = builder.select(finite, grown, builder.scale(scale, dynamic.backoff()));
        update().emit(new Assign(), List.of(scale, next));
        update().emit(new Assign(), List.of(tracker.orElseThrow(), steps));
    }

    private GraphBuilder update() {
        return builder.as(Role.UPDATE).at(Origin.NONE);
    }
}
