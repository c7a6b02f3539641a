package dev.remat.compiler;

import dev.remat.compiler.batch.MicroBatchOrder;
import dev.remat.compiler.batch.Sums;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.training.Average;
import dev.remat.compiler.training.GradientClip;
import dev.remat.compiler.training.LossScaling;
import dev.remat.compiler.training.Objective;
import dev.remat.compiler.training.Optimizer;
import dev.remat.compiler.training.ParameterGroup;
import dev.remat.compiler.training.ParameterPattern;
import dev.remat.compiler.training.TrainingSpec;
import dev.remat.compiler.training.UpdateRule;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Initializer;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Origin;
import dev.remat.ir.graph.Region;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.ValuePin;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.op.LearningRateSchedule;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.ir.op.Slice;
import dev.remat.ir.op.StepSeed;
import dev.remat.ir.op.Unary;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Forward graphs of random layers: skips, tied weights, views, dropout, statistics, blocks that the user pinned. */
public final class RandomModels {
    private static final long ROWS = 6;
    private static final long WIDTH = 8;
    private static final List<Unary.Kind> ACTIVATIONS =
            List.of(Unary.Kind.TANH, Unary.Kind.EXP, Unary.Kind.RELU, Unary.Kind.GELU, Unary.Kind.SIGMOID);

    private final Random random;
    private final GraphBuilder builder = new GraphBuilder("Random");
    private final List<ValueId> weights = new ArrayList<>();
    private final List<ValueId> values = new ArrayList<>();
    private ValueId seed;
    private int dropouts;
    private int regions;

    private final boolean blocks;

    private RandomModels(long seed, boolean blocks) {
        this.random = new Random(seed);
        this.blocks = blocks;
    }

    /**
     * A model of {@code layers} layers; equal arguments give equal models. Blocks in which nothing is recomputed are an
     * error, so a model that has one comes without any.
     */
    public static ElaboratedModel model(long seed, int layers) {
        ElaboratedModel pinned = new RandomModels(seed, true).build(layers);
        try {
            TestModels.compile(pinned, CompileOptions.defaults().withStrategy("keep-all"));
            return pinned;
        } catch (ModelException e) {
            return new RandomModels(seed, false).build(layers);
        }
    }

    private ElaboratedModel build(int layers) {
        ValueId x = TestModels.data(builder, "x", TensorType.of(DType.F32, ROWS, WIDTH));
        ValueId targets = TestModels.data(builder, "targets", TensorType.of(DType.I32, ROWS));
        seed = builder.apply(new StepSeed());
        Optional<Region> region = Optional.empty();
        for (int i = 0; i < layers; i++) {
            if (random.nextInt(4) == 0) {
                Location location = new Location("random.model", 100 + i, 1);
                region = random.nextBoolean() || !blocks
                        ? Optional.empty()
                        : Optional.of(new Region(regions++, 1 + random.nextInt(3), location, Optional.empty()));
            }
            builder.at(new Origin(new Location("random.model", i + 1, 1), "layer." + i, region));
            values.add(x);
            x = layer(i, x);
        }
        builder.at(Origin.NONE);
        ValueId loss = builder.emit(new CrossEntropy(0, -100), List.of(linear("head", x), targets))
                .getFirst();
        if (random.nextInt(3) == 0) {
            ValueId other = TestModels.meanSquare(builder, values.get(random.nextInt(values.size())));
            loss = builder.add(loss, other);
        }
        builder.output(ExecutionPlan.LOSS, loss);
        Optional<String> second = Optional.empty();
        if (random.nextInt(4) == 0) {
            second = Optional.of(ExecutionPlan.furtherLoss("other"));
            builder.output(second.get(), TestModels.meanSquare(builder, values.get(random.nextInt(values.size()))));
        }
        return TestModels.model(builder.build(), spec(second));
    }

    /** @param other a second loss */
    private TrainingSpec spec(Optional<String> other) {
        Optimizer optimizer = switch (random.nextInt(4)) {
            case 0 -> TestModels.optimizer("sgd(lr = 0.1)");
            case 1 -> TestModels.optimizer("sgd(lr = 0.1, momentum = 0.9, nesterov = true, weight_decay = 0.01)");
            case 2 -> TestModels.optimizer("adafactor(weight_decay = 0.1)");
            default -> TestModels.optimizer("adamw(weight_decay = 0.1)");
        };
        Optional<GradientClip> clip =
                random.nextInt(4) == 0 ? Optional.of(new GradientClip(1, Location.NONE)) : Optional.empty();
        DType precision = random.nextInt(3) == 0 ? DType.BF16 : DType.F32;
        UpdateRule rule = new UpdateRule(optimizer, new LearningRateSchedule.Constant(0.1));
        UpdateRule plain =
                new UpdateRule(TestModels.optimizer("sgd(lr = 0.1)"), new LearningRateSchedule.Constant(0.2));
        List<ParameterGroup> groups = random.nextBoolean()
                ? List.of()
                : List.of(new ParameterGroup(List.of(new ParameterPattern("*bias")), plain));
        List<ParameterPattern> frozen = random.nextInt(3) > 0 ? List.of() : List.of(new ParameterPattern("layer.1*"));
        Optional<Average> average = random.nextInt(3) > 0
                ? Optional.empty()
                : Optional.of(new Average(0.9, random.nextBoolean(), List.of(ParameterPattern.ALL)));
        List<Objective> objectives = new ArrayList<>();
        if (other.isEmpty()) {
            objectives.add(new Objective(ExecutionPlan.LOSS, List.of(ParameterPattern.ALL), groups, rule, clip));
        } else {
            List<ParameterPattern> early = List.of(new ParameterPattern("layer.0*"), new ParameterPattern("layer.2*"));
            List<ParameterPattern> late = IntStream.of(1, 3, 4, 5, 6, 7, 8, 9)
                    .mapToObj(i -> new ParameterPattern("layer." + i + "*"))
                    .collect(Collectors.toCollection(ArrayList::new));
            late.add(new ParameterPattern("head*"));
            objectives.add(new Objective(ExecutionPlan.LOSS, late, groups, rule, clip));
            objectives.add(new Objective(other.get(), early, groups, plain, Optional.empty()));
        }
        Optional<LossScaling> scaling = switch (random.nextInt(4)) {
            case 0 -> Optional.of(new LossScaling.Dynamic(1024, 2, 0.5, 1));
            case 1 -> Optional.of(new LossScaling.Static(64));
            default -> Optional.empty();
        };
        return new TrainingSpec(
                objectives,
                frozen,
                average,
                precision,
                scaling,
                1,
                MicroBatchOrder.DEPTH,
                Sums.BY_MICRO_BATCH,
                DType.F32,
                random.nextLong());
    }

    private ValueId layer(int i, ValueId x) {
        String name = "layer." + i;
        return switch (random.nextInt(14)) {
            case 0, 1 -> pinned(linear(name, x));
            case 2 -> builder.unary(ACTIVATIONS.get(random.nextInt(ACTIVATIONS.size())), x);
            case 3, 4 -> dropout(x);
            case 5 -> builder.add(x, values.get(random.nextInt(values.size())));
            case 6 -> layerNorm(name, x);
            case 7 -> batchNorm(name, x);
            case 8 -> attention(name, x);
            case 9 -> swapHalves(x);
            case 10 -> builder.apply(new MatMul(false, false), builder.apply(new MatMul(false, true), x, x), x);
            case 11 -> tied(name, x);
            case 12 -> branches(name, x);
            default -> positions(name, x);
        };
    }

    private ValueId pinned(ValueId x) {
        ValueId y = builder.unary(Unary.Kind.TANH, x);
        if (random.nextInt(3) == 0 && blocks) {
            builder.pin(y, new ValuePin(ValuePin.Kind.RETAIN, builder.origin().location()));
        }
        return builder.mul(y, y);
    }

    private ValueId linear(String name, ValueId x) {
        ValueId weight = TestModels.parameter(builder, name + ".weight", WIDTH, WIDTH);
        weights.add(weight);
        return TestModels.linear(builder, x, weight, TestModels.parameter(builder, name + ".bias", WIDTH));
    }

    private ValueId tied(String name, ValueId x) {
        if (weights.isEmpty()) {
            return linear(name, x);
        }
        return builder.apply(new MatMul(false, random.nextBoolean()), x, weights.get(random.nextInt(weights.size())));
    }

    private ValueId dropout(ValueId x) {
        List<ValueId> results = builder.emit(new Dropout(0.25, dropouts++), List.of(x, seed));
        seed = results.getLast();
        return results.getFirst();
    }

    /** The first draw can stay inside a kernel that comes after the second. */
    private ValueId branches(String name, ValueId x) {
        ValueId first = dropout(x);
        return builder.add(linear(name, dropout(builder.unary(Unary.Kind.TANH, x))), first);
    }

    private ValueId layerNorm(String name, ValueId x) {
        List<ValueId> statistics = builder.emit(new NormStatistics(List.of(1), true), List.of(x));
        ValueId gamma = TestModels.parameter(builder, name + ".gamma", 1, WIDTH);
        ValueId beta = TestModels.parameter(builder, name + ".beta", 1, WIDTH);
        return builder.apply(
                new Normalize(List.of(1), 1e-5, true, true, true),
                x,
                statistics.getFirst(),
                statistics.getLast(),
                gamma,
                beta);
    }

    private ValueId batchNorm(String name, ValueId x) {
        List<ValueId> statistics = builder.emit(new NormStatistics(List.of(0), true), List.of(x));
        ValueId gamma = TestModels.parameter(builder, name + ".gamma", 1, WIDTH);
        ValueId y = builder.apply(
                new Normalize(List.of(0), 1e-5, true, true, false),
                x,
                statistics.getFirst(),
                statistics.getLast(),
                gamma);
        List<ValueId> operands = new ArrayList<>();
        for (String what : List.of("mean", "variance")) {
            operands.add(builder.input(
                    name + "." + what,
                    TensorType.of(DType.F32, 1, WIDTH),
                    InputKind.STATE,
                    Initializer.ZEROS,
                    Location.NONE));
        }
        operands.addAll(statistics);
        builder.as(Role.UPDATE).emit(new RunningStatistics(0.1, Dim.of(ROWS)), operands);
        builder.as(Role.FORWARD);
        return y;
    }

    private ValueId attention(String name, ValueId x) {
        List<ValueId> heads = new ArrayList<>();
        for (String what : List.of("q", "k", "v")) {
            ValueId projected = linear(name + "." + what, x);
            heads.add(builder.transpose(
                    builder.reshape(projected, Shape.of(2, ROWS / 2, 2, WIDTH / 2)), List.of(0, 2, 1, 3)));
        }
        ValueId mixed = builder.emit(new Attention(0.5, random.nextBoolean(), false), heads)
                .getFirst();
        return builder.reshape(builder.transpose(mixed, List.of(0, 2, 1, 3)), Shape.of(ROWS, WIDTH));
    }

    private ValueId swapHalves(ValueId x) {
        ValueId left = builder.apply(slice(0, 0, ROWS, WIDTH / 2), x);
        ValueId right = builder.apply(slice(0, WIDTH / 2, ROWS, WIDTH / 2), x);
        return builder.apply(new Concat(1), right, left);
    }

    private ValueId positions(String name, ValueId x) {
        ValueId table = TestModels.parameter(builder, name + ".table", ROWS + 2, WIDTH);
        return builder.add(x, builder.apply(slice(1, 0, ROWS, WIDTH), table));
    }

    private static Slice slice(long row, long column, long rows, long columns) {
        return new Slice(Shape.of(row, column).dims(), Shape.of(rows, columns).dims());
    }
}
