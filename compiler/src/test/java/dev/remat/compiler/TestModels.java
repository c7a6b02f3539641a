package dev.remat.compiler;

import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.elaborate.ModelIdentity;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.model.ModelText;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.training.Optimizer;
import dev.remat.compiler.training.Purpose;
import dev.remat.compiler.training.TrainingSpec;
import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Origin;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.op.LearningRateSchedule;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.StepSeed;
import dev.remat.ir.op.Unary;
import dev.remat.ir.target.UnitCost;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Forward graphs written by hand, and what it takes to compile them without a model file. */
public final class TestModels {
    public static final TrainingSpec ADAM = spec(optimizer("adamw(weight_decay = 0.1)"));
    public static final TrainingSpec SGD = spec(optimizer("sgd(lr = 0.1)"));

    private TestModels() {}

    /** An optimizer as a model says it. */
    public static Optimizer optimizer(String text) {
        String model = "remat 1\n\nmodel M {\n  param w: f32[1] = ones\n  loss = sum(w)\n}\n\ntrain {\n"
                + "  minimize loss\n  optimizer " + text + "\n}\n";
        return Elaborator.elaborate(ModelParser.parse(new Source("test", model), IncludeResolver.NONE), Bindings.NONE)
                .training()
                .objectives()
                .getFirst()
                .otherwise()
                .optimizer();
    }

    private static TrainingSpec spec(Optimizer optimizer) {
        return TrainingSpec.of(optimizer, new LearningRateSchedule.Constant(0.1), Optional.empty(), DType.F32, 7);
    }

    public static ElaboratedModel model(Graph forward, TrainingSpec spec) {
        return new ElaboratedModel(
                forward.name(),
                "0".repeat(64),
                new ModelIdentity("0".repeat(64), new TreeMap<>(), new TreeMap<>()),
                Purpose.TRAIN,
                forward,
                spec,
                List.of(),
                new LinkedHashMap<>(),
                Optional.empty());
    }

    /** A model's text, with its batch cut as the text says. */
    public static Compilation compileCut(String text, String settings, CompileOptions options) {
        return compile(session("cut.model", text, settings).step(Purpose.TRAIN), options);
    }

    /** A text that includes nothing. */
    public static ModelSession session(String file, String text, String settings) {
        return ModelSession.of(
                ModelText.of(new Source(file, text), IncludeResolver.NONE),
                ModelSettings.of(Bindings.parse(List.of(settings))));
    }

    public static Compilation compile(Graph forward, String strategy) {
        return compile(model(forward, ADAM), CompileOptions.defaults().withStrategy(strategy));
    }

    public static Compilation compile(ElaboratedModel model, CompileOptions options) {
        return new Compiler(new TestTarget(), new UnitCost()).compile(model, options);
    }

    public static ValueId data(GraphBuilder builder, String name, TensorType type) {
        return builder.input(name, type, InputKind.DATA, Initializer.ZEROS, Location.NONE);
    }

    public static ValueId parameter(GraphBuilder builder, String name, long... dims) {
        return builder.input(
                name,
                TensorType.of(DType.F32, dims),
                InputKind.PARAMETER,
                new Initializer.Normal(0, 0.1),
                Location.NONE);
    }

    /** {@code x · wᵀ + b}. */
    public static ValueId linear(GraphBuilder builder, ValueId x, ValueId weight, ValueId bias) {
        ValueId product = builder.apply(new MatMul(false, true), x, weight);
        return builder.add(product, builder.expand(bias, builder.type(product).shape()));
    }

    /** Layers of linear, tanh and dropout, {@code rows} by {@code width}, then cross-entropy. */
    public static Graph mlp(int layers, long rows, long width) {
        GraphBuilder builder = new GraphBuilder("Mlp");
        ValueId x = data(builder, "x", TensorType.of(DType.F32, rows, width));
        ValueId targets = data(builder, "targets", TensorType.of(DType.I32, rows));
        ValueId seed = builder.apply(new StepSeed());
        for (int i = 0; i < layers; i++) {
            String scope = "layer." + i;
            builder.at(new Origin(new Location("mlp.model", i + 1, 3), scope, Optional.empty()));
            ValueId weight = parameter(builder, scope + ".weight", width, width);
            ValueId bias = parameter(builder, scope + ".bias", width);
            ValueId h = builder.unary(Unary.Kind.TANH, linear(builder, x, weight, bias));
            List<ValueId> dropped = builder.emit(new Dropout(0.1, i), List.of(h, seed));
            x = dropped.getFirst();
            seed = dropped.getLast();
        }
        builder.at(Origin.NONE);
        builder.output(
                ExecutionPlan.LOSS,
                builder.emit(new CrossEntropy(0, -100), List.of(x, targets)).getFirst());
        return builder.build();
    }

    /** The mean of the squares of {@code x}. */
    public static ValueId meanSquare(GraphBuilder builder, ValueId x) {
        List<Integer> axes = java.util.stream.IntStream.range(0, builder.type(x).rank())
                .boxed()
                .toList();
        ValueId mean = builder.apply(new Reduce(Reduce.Kind.MEAN, axes), builder.mul(x, x));
        return builder.reshape(mean, dev.remat.ir.Shape.SCALAR);
    }
}
