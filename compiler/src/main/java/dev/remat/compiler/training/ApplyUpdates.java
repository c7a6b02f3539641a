package dev.remat.compiler.training;

import dev.remat.compiler.training.EmitUpdate.Emitted;
import dev.remat.compiler.training.EmitUpdate.Target;
import dev.remat.compiler.training.ScaleLosses.Attempt;
import dev.remat.compiler.training.TrainingGraph.ParameterGradient;
import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Mark;
import dev.remat.ir.graph.Origin;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Assign;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.ConditionalUpdate;
import dev.remat.ir.op.LearningRate;
import dev.remat.ir.op.LearningRateSchedule;
import dev.remat.ir.op.SumOfSquares;
import dev.remat.ir.op.Unary;
import dev.remat.ir.op.Update;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Lets the optimizer change each parameter as soon as its gradient is complete, so that gradients need not live at
 * once. Clipping by the norm of all gradients (Pascanu, Mikolov and Bengio, 2013) waits for the last of them.
 */
public final class ApplyUpdates implements Differentiate.Completion {
    private record Updated(Optimizer optimizer, TensorType parameter) {}

    private final TrainingSpec spec;
    private final ValueMap<List<ValueId>> states = new ValueMap<>(0);
    private final Map<LearningRateSchedule, ValueId> rates = new LinkedHashMap<>();
    /** Averages by parameter. */
    private final Map<ValueId, ValueId> averages = new LinkedHashMap<>();
    /** What updates have made of parameters. */
    private final Map<ValueId, ValueId> updated = new LinkedHashMap<>();

    /** What optimizers do with parameters of a type. */
    private final Map<Updated, Graph> steps = new LinkedHashMap<>();

    private final Map<EmitUpdate.Computed, List<ValueId>> computed = new LinkedHashMap<>();
    private ValueId step;
    private Optional<ScaleLosses> scaled = Optional.empty();

    public ApplyUpdates(TrainingSpec spec) {
        this.spec = spec;
    }

    @Override
    public void begin(GraphBuilder builder, List<ValueId> parameters) {
        step = builder.input("step", TensorType.scalar(DType.I64), InputKind.STEP, Initializer.ZEROS, Location.NONE);
        for (ValueId parameter : parameters) {
            List<ValueId> moments = new ArrayList<>();
            TensorType type = builder.type(parameter);
            Graph made = step(rule(builder, parameter).optimizer(), type);
            for (GraphInput state : made.inputs()) {
                if (state.kind() == InputKind.STATE) {
                    moments.add(builder.input(
                            ExecutionPlan.stateOf(
                                    made.value(state.value()).name(),
                                    builder.value(parameter).name()),
                            made.type(state.value()).with(type.dtype()),
                            InputKind.STATE,
                            state.initializer(),
                            Location.NONE));
                    builder.mark(moments.getLast(), Mark.OPTIMIZER);
                }
            }
            states.put(parameter, moments);
        }
        scaled = ScaleLosses.begin(
                spec.scaling(),
                builder,
                parameters.stream()
                        .map(parameter -> objective(builder, parameter))
                        .collect(Collectors.toCollection(LinkedHashSet::new)));
        for (ValueId parameter : parameters) {
            String name = builder.value(parameter).name();
            if (spec.isAveraged(name)) {
                averages.put(
                        parameter,
                        builder.input(
                                ExecutionPlan.averageOf(name),
                                builder.type(parameter),
                                InputKind.STATE,
                                builder.input(parameter).initializer(),
                                Location.NONE));
                builder.mark(averages.get(parameter), Mark.OPTIMIZER);
            }
        }
    }

    private Objective objective(GraphBuilder builder, ValueId parameter) {
        return spec.objective(builder.value(parameter).name()).orElseThrow();
    }

    private UpdateRule rule(GraphBuilder builder, ValueId parameter) {
        return objective(builder, parameter).rule(builder.value(parameter).name());
    }

    /** The learning rate of this step, computed once and not before the first update needs it. */
    private ValueId rate(GraphBuilder builder, LearningRateSchedule schedule) {
        return rates.computeIfAbsent(schedule, key -> {
            builder.as(Role.BACKWARD).at(Origin.NONE);
            ValueId rate = builder.apply(new LearningRate(schedule), step);
            builder.rename(rate, "learning_rate");
            return rate;
        });
    }

    @Override
    public ValueId seed(GraphBuilder builder, TensorType loss) {
        return scaled.map(losses -> losses.seed(loss.dtype()))
                .orElseGet(() -> Differentiate.Completion.super.seed(builder, loss));
    }

    @Override
    public void complete(GraphBuilder builder, ParameterGradient gradient) {
        if (!waits(objective(builder, gradient.parameter()))) {
            update(builder, gradient, Optional.empty(), Optional.empty());
        }
    }

    /** Whether no update may come before the last gradient. */
    private boolean waits(Objective objective) {
        return objective.clip().isPresent() || scaled.isPresent();
    }

    @Override
    public void end(GraphBuilder builder, List<ParameterGradient> gradients) {
        if (gradients.isEmpty()) {
            return;
        }
        Objective objective = objective(builder, gradients.getFirst().parameter());
        if (waits(objective)) {
            Optional<Attempt> attempt = scaled.map(losses -> losses.attempt(objective, gradients));
            Optional<ValueId> inverse = scaled.map(ScaleLosses::inverse);
            Optional<ValueId> factor = inverse;
            if (objective.clip().isPresent()) {
                double limit = objective.clip().get().norm();
                ValueId clip = clipFactor(builder, gradients, inverse, limit);
                factor = Optional.of(
                        inverse.map(unscaled -> builder.mul(clip, unscaled)).orElse(clip));
            }
            for (ParameterGradient gradient : gradients) {
                update(builder, gradient, factor, attempt);
            }
        }
    }

    /** min(1, limit / (norm + 1e-6)), the norm over all gradients in their fixed order. */
    private ValueId clipFactor(
            GraphBuilder builder, List<ParameterGradient> gradients, Optional<ValueId> inverse, double limit) {
        builder.as(Role.BACKWARD).at(Origin.NONE);
        TensorType scalar = TensorType.scalar(DType.F32);
        List<ValueId> operands = new ArrayList<>(
                gradients.stream().map(ParameterGradient::gradient).toList());
        inverse.ifPresent(operands::add);
        ValueId total =
                builder.emit(new SumOfSquares(inverse.isPresent()), operands).getFirst();
        ValueId norm = builder.unary(Unary.Kind.SQRT, total);
        builder.rename(norm, "gradient_norm");
        ValueId guarded = builder.add(norm, builder.filled(1e-6, scalar));
        ValueId ratio = builder.div(builder.filled(limit, scalar), guarded);
        return builder.binary(Binary.Kind.MIN, ratio, builder.filled(1, scalar));
    }

    /**
     * @param factor of the gradient
     * @param attempt whether it happens
     */
    private void update(
            GraphBuilder builder, ParameterGradient pair, Optional<ValueId> factor, Optional<Attempt> attempt) {
        ValueId parameter = pair.parameter();
        UpdateRule rule = rule(builder, parameter);
        Target target = new Target(
                pair,
                states.get(parameter),
                rate(builder, rule.schedule()),
                attempt.map(Attempt::number).orElse(step),
                factor);
        builder.as(Role.BACKWARD);
        Emitted made = EmitUpdate.run(
                builder, computed, rule.optimizer().name(), step(rule.optimizer(), builder.type(parameter)), target);
        Optional<ValueId> condition = attempt.map(Attempt::finite);
        updated.put(
                parameter, emit(builder, made.op(), made.operands(), condition).getFirst());
        made.assigned().forEach((state, value) -> emit(builder, new Assign(), List.of(state, value), condition));
    }

    private Graph step(Optimizer optimizer, TensorType parameter) {
        return steps.computeIfAbsent(new Updated(optimizer, parameter), _ -> optimizer.step(parameter));
    }

    private static List<ValueId> emit(
            GraphBuilder builder, Update op, List<ValueId> operands, Optional<ValueId> condition) {
        builder.as(Role.UPDATE);
        if (condition.isEmpty()) {
            return builder.emit(op, operands);
        }
        List<ValueId> all = new ArrayList<>(operands);
        all.add(condition.get());
        return builder.emit(new ConditionalUpdate(op), all);
    }

    /** Averages last, for an update may have to wait for what reads its parameter. */
    @Override
    public void close(GraphBuilder builder) {
        Map<ValueId, List<ValueId>> shares = new LinkedHashMap<>();
        averages.forEach((parameter, average) -> {
            Optional<Attempt> attempt = scaled.flatMap(losses -> losses.find(objective(builder, parameter)));
            builder.at(Origin.NONE).as(Role.BACKWARD);
            List<ValueId> operands = new ArrayList<>(List.of(average, updated.getOrDefault(parameter, parameter)));
            operands.addAll(shares.computeIfAbsent(
                    attempt.map(Attempt::number).orElse(step),
                    number -> spec.average().orElseThrow().shares(builder, number)));
            emit(builder, Average.UPDATE, operands, attempt.map(Attempt::finite));
        });
        scaled.ifPresent(ScaleLosses::close);
    }
}
