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
import dev.remat.ir.graph.Origin;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.AdagradUpdate;
import dev.remat.ir.op.AdamUpdate;
import dev.remat.ir.op.AverageUpdate;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.LearningRate;
import dev.remat.ir.op.LearningRateSchedule;
import dev.remat.ir.op.LionUpdate;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.RmsPropUpdate;
import dev.remat.ir.op.SgdUpdate;
import dev.remat.ir.op.Unary;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

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

    public ApplyUpdates(TrainingSpec spec) {
        this.spec = spec;
    }

    @Override
    public void begin(GraphBuilder builder, List<ValueId> parameters) {
        step = builder.input("step", TensorType.scalar(DType.I64), InputKind.STEP, Initializer.ZEROS, Location.NONE);
        for (ValueId parameter : parameters) {
            List<ValueId> moments = new ArrayList<>();
            Optimizer optimizer = rule(builder, parameter).optimizer();
            for (String name : stateNames(optimizer)) {
                moments.add(builder.input(
                        "optimizer." + name + "." + builder.value(parameter).name(),
                        builder.type(parameter),
                        InputKind.STATE,
                        initial(optimizer),
                        Location.NONE));
            }
            states.put(parameter, moments);
        }
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

    private static List<String> stateNames(Optimizer optimizer) {
        return switch (optimizer) {
            case Optimizer.Sgd sgd -> sgd.momentum() == 0 ? List.of() : List.of("velocity");
            case Optimizer.Adam adam -> List.of("m", "v");
            case Optimizer.Lion lion -> List.of("exp_avg");
            case Optimizer.Adagrad adagrad -> List.of("sum");
            case Optimizer.RmsProp rmsProp -> {
                List<String> names = new ArrayList<>(List.of("square_avg"));
                if (rmsProp.centered()) {
                    names.add("grad_avg");
                }
                if (rmsProp.momentum() != 0) {
                    names.add("momentum_buffer");
                }
                yield names;
            }
        };
    }

    private static Initializer initial(Optimizer optimizer) {
        return optimizer instanceof Optimizer.Adagrad adagrad
                ? new Initializer.Constant(adagrad.initial())
                : Initializer.ZEROS;
    }

    @Override
    public void complete(GraphBuilder builder, ParameterGradient gradient) {
        if (objective(builder, gradient.parameter()).clipNorm().isEmpty()) {
            update(builder, gradient, List.of());
        }
    }

    @Override
    public void end(GraphBuilder builder, List<ParameterGradient> gradients) {
        OptionalDouble limit = gradients.isEmpty()
                ? OptionalDouble.empty()
                : objective(builder, gradients.getFirst().parameter()).clipNorm();
        if (limit.isPresent()) {
            ValueId factor = clipFactor(builder, gradients, limit.getAsDouble());
            gradients.forEach(gradient -> update(builder, gradient, List.of(factor)));
        }
    }

    /** min(1, limit / (norm + 1e-6)), the norm over all gradients in their fixed order. */
    private ValueId clipFactor(GraphBuilder builder, List<ParameterGradient> gradients, double limit) {
        builder.as(Role.BACKWARD).at(Origin.NONE);
        TensorType scalar = TensorType.scalar(DType.F32);
        List<ValueId> squares = new ArrayList<>();
        for (ParameterGradient g : gradients) {
            ValueId wide = builder.cast(
                    g.gradient(), builder.type(g.gradient()).dtype().accumulator());
            squares.add(builder.cast(builder.sumTo(builder.mul(wide, wide), scalar.shape()), DType.F32));
        }
        ValueId total = squares.stream().reduce(builder::add).orElseThrow();
        ValueId norm = builder.unary(Unary.Kind.SQRT, total);
        builder.rename(norm, "gradient_norm");
        ValueId guarded = builder.add(norm, builder.filled(1e-6, scalar));
        ValueId ratio = builder.div(builder.filled(limit, scalar), guarded);
        return builder.binary(Binary.Kind.MIN, ratio, builder.filled(1, scalar));
    }

    private void update(GraphBuilder builder, ParameterGradient pair, List<ValueId> clip) {
        ValueId parameter = pair.parameter();
        List<ValueId> moments = states.get(parameter);
        UpdateRule rule = rule(builder, parameter);
        List<ValueId> operands = new ArrayList<>(List.of(parameter, pair.gradient()));
        Op op = switch (rule.optimizer()) {
            case Optimizer.Sgd sgd -> {
                operands.add(rate(builder, rule.schedule()));
                operands.addAll(moments);
                yield new SgdUpdate(
                        sgd.momentum(), sgd.dampening(), sgd.nesterov(), sgd.weightDecay(), !clip.isEmpty());
            }
            case Optimizer.Adam adam -> {
                operands.addAll(moments);
                operands.add(rate(builder, rule.schedule()));
                operands.add(step);
                yield new AdamUpdate(
                        adam.beta1(),
                        adam.beta2(),
                        adam.epsilon(),
                        adam.weightDecay(),
                        adam.decoupled(),
                        !clip.isEmpty());
            }
            case Optimizer.Lion lion -> {
                operands.addAll(moments);
                operands.add(rate(builder, rule.schedule()));
                yield new LionUpdate(lion.beta1(), lion.beta2(), lion.weightDecay(), !clip.isEmpty());
            }
            case Optimizer.Adagrad adagrad -> {
                operands.addAll(moments);
                operands.add(rate(builder, rule.schedule()));
                operands.add(step);
                yield new AdagradUpdate(adagrad.rateDecay(), adagrad.epsilon(), adagrad.weightDecay(), !clip.isEmpty());
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
                        !clip.isEmpty());
            }
        };
        operands.addAll(clip);
        builder.as(Role.UPDATE);
        updated.put(parameter, builder.emit(op, operands).getFirst());
    }

    /** Averages last, for an update may have to wait for what reads its parameter. */
    @Override
    public void close(GraphBuilder builder) {
        averages.forEach((parameter, average) -> {
            Average kept = spec.average().orElseThrow();
            builder.as(Role.UPDATE).at(Origin.NONE);
            builder.emit(
                    new AverageUpdate(kept.decay(), kept.warmup()),
                    List.of(average, updated.getOrDefault(parameter, parameter), step));
        });
    }
}
