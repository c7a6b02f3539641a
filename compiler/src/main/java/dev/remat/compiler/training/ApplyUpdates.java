package dev.remat.compiler.training;

import dev.remat.compiler.training.ScaleLosses.Attempt;
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
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.AdagradUpdate;
import dev.remat.ir.op.AdamUpdate;
import dev.remat.ir.op.AdamVariantUpdate;
import dev.remat.ir.op.Assign;
import dev.remat.ir.op.AverageUpdate;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.ConditionalUpdate;
import dev.remat.ir.op.LearningRate;
import dev.remat.ir.op.LearningRateSchedule;
import dev.remat.ir.op.LionUpdate;
import dev.remat.ir.op.RmsPropUpdate;
import dev.remat.ir.op.SgdUpdate;
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
    private final TrainingSpec spec;
    private final ValueMap<List<ValueId>> states = new ValueMap<>(0);
    private final Map<LearningRateSchedule, ValueId> rates = new LinkedHashMap<>();
    /** Averages by parameter. */
    private final Map<ValueId, ValueId> averages = new LinkedHashMap<>();
    /** What updates have made of parameters. */
    private final Map<ValueId, ValueId> updated = new LinkedHashMap<>();

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
            for (OptimizerState state :
                    OptimizerState.of(rule(builder, parameter).optimizer(), type)) {
                moments.add(builder.input(
                        ExecutionPlan.stateOf(
                                state.name(), builder.value(parameter).name()),
                        state.type(),
                        InputKind.STATE,
                        state.initial(),
                        Location.NONE));
                builder.mark(moments.getLast(), Mark.OPTIMIZER);
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
        List<ValueId> moments = states.get(parameter);
        UpdateRule rule = rule(builder, parameter);
        List<ValueId> operands = new ArrayList<>(List.of(parameter, pair.gradient()));
        ValueId number = attempt.map(Attempt::number).orElse(step);
        Map<ValueId, ValueId> kept = new LinkedHashMap<>();
        Update op = switch (rule.optimizer()) {
            case Optimizer.Sgd sgd -> {
                operands.add(rate(builder, rule.schedule()));
                operands.addAll(moments);
                SgdUpdate descent = new SgdUpdate(
                        sgd.momentum(), sgd.dampening(), sgd.nesterov(), sgd.weightDecay(), factor.isPresent());
                if (descent.isDampened()) {
                    operands.add(number);
                }
                yield descent;
            }
            case Optimizer.Adam adam -> {
                operands.addAll(moments);
                operands.add(rate(builder, rule.schedule()));
                operands.add(number);
                yield new AdamUpdate(
                        adam.beta1(),
                        adam.beta2(),
                        adam.epsilon(),
                        adam.weightDecay(),
                        adam.decoupled(),
                        factor.isPresent());
            }
            case Optimizer.Lion lion -> {
                operands.addAll(moments);
                operands.add(rate(builder, rule.schedule()));
                yield new LionUpdate(lion.beta1(), lion.beta2(), lion.weightDecay(), factor.isPresent());
            }
            case Optimizer.Adagrad adagrad -> {
                operands.addAll(moments);
                operands.add(rate(builder, rule.schedule()));
                operands.add(number);
                yield new AdagradUpdate(
                        adagrad.rateDecay(), adagrad.epsilon(), adagrad.weightDecay(), factor.isPresent());
            }
            case Optimizer.RmsProp rmsProp -> {
                operands.add(rate(builder, rule.schedule()));
                operands.addAll(moments);
                yield new RmsPropUpdate(
                        rmsProp.alpha(),
                        rmsProp.epsilon(),
                        rmsProp.weightDecay(),
                        rmsProp.momentum(),
                        rmsProp.centered(),
                        factor.isPresent());
            }
            case Optimizer.AdamVariant variant -> {
                int states = variant.kind().states();
                ValueId rate = rate(builder, rule.schedule());
                builder.as(Role.BACKWARD);
                AdamVariantSizes sizes = AdamVariantSizes.of(
                        builder, variant, moments.stream().skip(states).findFirst(), rate, number);
                operands.addAll(moments.subList(0, states));
                operands.add(rate);
                operands.addAll(sizes.sizes());
                sizes.product().ifPresent(product -> kept.put(moments.get(states), product));
                yield new AdamVariantUpdate(
                        variant.kind(),
                        variant.beta1(),
                        variant.beta2(),
                        variant.epsilon(),
                        variant.weightDecay(),
                        variant.decoupled(),
                        factor.isPresent());
            }
            case Optimizer.Adafactor adafactor -> {
                ValueId rate = rate(builder, rule.schedule());
                builder.as(Role.BACKWARD);
                AdafactorStep made = AdafactorStep.of(builder, adafactor, pair, moments, rate, number, factor);
                operands = new ArrayList<>(made.operands());
                for (int i = 0; i < moments.size(); i++) {
                    kept.put(moments.get(i), made.states().get(i));
                }
                yield made.op();
            }
        };
        factor.ifPresent(operands::add);
        Optional<ValueId> condition = attempt.map(Attempt::finite);
        updated.put(parameter, emit(builder, op, operands, condition).getFirst());
        kept.forEach((state, value) -> emit(builder, new Assign(), List.of(state, value), condition));
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
        averages.forEach((parameter, average) -> {
            Average kept = spec.average().orElseThrow();
            Optional<Attempt> attempt = scaled.flatMap(losses -> losses.find(objective(builder, parameter)));
            builder.at(Origin.NONE);
            emit(
                    builder,
                    new AverageUpdate(kept.decay(), kept.warmup()),
                    List.of(
                            average,
                            updated.getOrDefault(parameter, parameter),
                            attempt.map(Attempt::number).orElse(step)),
                    attempt.map(Attempt::finite));
        });
        scaled.ifPresent(ScaleLosses::close);
    }
}
