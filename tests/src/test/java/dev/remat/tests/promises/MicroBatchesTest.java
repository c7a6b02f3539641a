package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.graph.Node;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.NotANumberException;
import dev.remat.runtime.train.Trainer;
import dev.remat.tests.promises.TrialRun.Outcome;
import dev.remat.tests.steps.AllCases;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A batch that is cut into micro-batches gives the loss and the gradients of the whole batch, whatever their number,
 * and the same bits at every budget.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class MicroBatchesTest {
    private static final int THREADS = 1;
    private static final int STEPS = 3;
    private static final String STRATEGY = "peak-priority";
    private static final int[] COUNTS = AllCases.asked() ? new int[] {2, 4, 8} : new int[] {8};
    private static final double[] LADDER =
            AllCases.asked() ? new double[] {0.9, 0.7, 0.5, 0.3, 0} : new double[] {0.6, 0};

    /** Models that normalize each row by itself, if at all; with dropout and random draws. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bert | B=8,T=12,vocab=11,width=8,depth=2,heads=2,hidden=12,context=12",
                "ddpm | B=8,steps=5,width=4,factors=[1,2],units=1,attends=[false,true],groups=2,image=8",
                "gpt | B=8,T=5,vocab=11,width=8,depth=2,heads=2,context=8",
                "llama | B=8,T=12,vocab=11,width=8,depth=2,heads=2,kv_heads=1,hidden=24",
                "lstm | B=8,T=3,features=3,width=4,depth=2,classes=5",
                "mlp | B=8,features=6,width=8,depth=2,classes=3",
                "transformer-encdec | B=8,S=4,T=3,vocab=7,width=8,depth=2,heads=2,hidden=12,context=6",
                "unet | B=8,classes=3,width=2,image=16,pad=1",
                "vae | B=8,pixels=24,hidden=12,latent=6",
                "vgg | B=8,classes=3,width=4,hidden=6,image=32",
                "vit | B=8,patch=2,width=8,depth=2,heads=2,hidden=24,image=8,classes=3,drop=0.1"
            })
    void gradientsAreThoseOfTheWholeBatch(String name, String settings) throws IOException {
        String text = TrialRun.sample(name);
        for (DType precision : AllCases.asked() ? List.of(DType.F64, DType.F32) : List.of(DType.F64)) {
            Map<String, double[]> whole = gradients(text, settings, 1, precision, 0);
            for (int count : COUNTS) {
                requireClose(
                        gradients(text, settings, count, precision, 0),
                        whole,
                        precision == DType.F64 ? 1e-12 : 1e-5,
                        name + " in " + count + " micro-batches");
            }
        }
    }

    /** Sums that are divided by the number of rows, as variational autoencoders are mostly written, and otherwise. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "(rec + kl) / B",
                "rec / (B * 12) + 0.3 * kl / B",
                "mean(sum(logits, 1)) * B + kl",
                "(rec + kl) / B + mean(mu / (B + 1)) - B",
                "rec / (floordiv(B, 4) + 2)"
            })
    void theNumberOfRowsIsThatOfTheWholeBatch(String loss) throws IOException {
        String text = """
            remat 1
            model Variational() {
              symbol B
              input x: f32[B, 12]
              h = x |> linear(10) |> relu
              mu = linear(h, 3)
              logvar = linear(h, 3)
              z = mu + exp(0.5 * logvar) * randn_like(mu)
              logits = z |> linear(10) |> relu |> linear(12)
              rec = bce_with_logits(logits, sigmoid(x), reduction = "sum")
              kl = -0.5 * sum(1.0 + logvar - mu * mu - exp(logvar))
              loss = %s
            }
            train {
              minimize loss
              optimizer sgd(lr = 0.1)
            }
            """.formatted(loss);
        Map<String, double[]> whole = gradients(text, "B=8", 1, DType.F64, 0);
        for (int count : COUNTS) {
            requireClose(gradients(text, "B=8", count, DType.F64, 0), whole, 1e-12, count + " micro-batches");
        }
    }

    /** Each micro-batch is normalized by itself, as if it were alone; what is drawn is given as data here. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "autoencoder | B=8,channels=1,width=2,code=4,image=32",
                "dcgan | B=8,channels=1,noise=3,width=2",
                "densenet | B=8,layers=45,classes=3,growth=16,image=32",
                "mobilenet | B=8,classes=3,width=1,image=32,drop=0.0",
                "resnet | B=8,layers=14,classes=3,width=2,image=32",
                "resnet-cifar | B=8,depth=20,classes=3,width=2,image=8"
            })
    void batchNormSeesMicroBatches(String name, String settings) throws IOException {
        String text = TrialRun.sample(name).replace("latent = randn([B, noise])", "input latent: f32[B, noise]");
        for (int count : new int[] {2, 4}) {
            String apart = settings.replace("B=8", "B=" + 8 / count);
            List<Map<String, double[]>> alone = new ArrayList<>();
            for (int k = 0; k < count; k++) {
                alone.add(gradients(text, apart, 1, DType.F64, k));
            }
            requireClose(
                    gradients(text, settings, count, DType.F64, 0),
                    mean(alone),
                    1e-12,
                    name + " in " + count + " micro-batches");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "autoencoder | B=8,channels=1,width=2,code=4,image=32",
                "bert | B=8,T=12,vocab=11,width=8,depth=2,heads=2,hidden=12,context=12",
                "dcgan | B=8,channels=1,noise=3,width=2",
                "ddpm | B=8,steps=5,width=4,factors=[1],units=1,attends=[true],groups=2,image=8",
                "densenet | B=8,layers=21,classes=3,growth=16,image=32,drop=0.2",
                "gpt | B=8,T=5,vocab=11,width=8,depth=2,heads=2,context=8",
                "llama | B=8,T=12,vocab=11,width=8,depth=2,heads=2,kv_heads=1,hidden=24",
                "lstm | B=8,T=3,features=3,width=4,depth=2,classes=5",
                "mlp | B=16,features=6,width=8,depth=2,classes=3",
                "mobilenet | B=8,classes=3,width=1,image=32",
                "resnet | B=4,layers=14,classes=3,width=16,image=32",
                "resnet-cifar | B=8,depth=20,classes=3,width=2,image=8",
                "transformer-encdec | B=8,S=4,T=3,vocab=7,width=8,depth=1,heads=2,hidden=12,context=6",
                "unet | B=4,classes=3,width=2,image=16,pad=1",
                "vae | B=32,pixels=24,hidden=12,latent=6",
                "vgg | B=4,classes=3,width=16,hidden=6,image=32",
                "vit | B=16,patch=2,width=8,depth=2,heads=2,hidden=24,image=8,classes=3,drop=0.1"
            })
    void everyBudgetGivesTheSameBits(String name, String settings) throws IOException {
        String text = TrialRun.sample(name);
        Compilation keepAll = train(text, settings, CompileOptions.defaults().withStrategy("keep-all"));
        assertThat(keepAll.plan().microBatches()).isEqualTo(2);
        Outcome kept = TrialRun.train(keepAll, STEPS, THREADS, false);
        CompileOptions options =
                CompileOptions.defaults().withStrategy(STRATEGY).with(Effort.QUICK);
        long most = keepAll.plan().arenaBytes();
        long least = train(text, settings, options).plan().arenaBytes();
        assertThat(least).as("smallest arena").isLessThan(most);
        for (double part : LADDER) {
            long budget = least + (long) (part * (most - least));
            Compilation plan = train(text, settings, options.withBudget(budget));
            assertThat(plan.plan().arenaBytes()).isLessThanOrEqualTo(budget);
            assertThat(recomputedInRounds(plan))
                    .as("within %d of %d", budget, most)
                    .isPositive();
            Outcome run = TrialRun.train(plan, STEPS, THREADS, true);
            assertThat(run.highWaterBytes()).isEqualTo(plan.plan().arenaBytes());
            assertThat(run.losses()).as("losses within %d of %d", budget, most).isEqualTo(kept.losses());
            assertThat(run.stateHash())
                    .as("state within %d of %d", budget, most)
                    .isEqualTo(kept.stateHash());
        }
        for (String strategy : List.of("sqrt", "min-cut", "recursive")) {
            Compilation plan = train(
                    text,
                    settings,
                    CompileOptions.defaults().withStrategy(strategy).with(Effort.QUICK));
            assertThat(TrialRun.train(plan, STEPS, THREADS, true).stateHash())
                    .as(strategy)
                    .isEqualTo(kept.stateHash());
        }
    }

    /** As many as a layer of samples behind them; the layer normalizes data, so that nothing else differs. */
    @Test
    void runningStatisticsAreThoseOfTheWholeBatch() {
        String text = """
            remat 1
            model Normal() {
              symbol B
              input x: f32[B, 3, 2]
              h = batch_norm(100.0 + x) as norm
              loss = mean((linear(flatten(h), 2) as head) ** 2)
            }
            train {
              minimize loss
              optimizer sgd(lr = 0.1)
            }
            """;
        Map<String, double[]> whole = statistics(text, 1);
        assertThat(whole).hasSize(2);
        for (int count : COUNTS) {
            requireClose(statistics(text, count), whole, 1e-12, count + " micro-batches");
        }
    }

    /** Nothing has been updated when the losses of all micro-batches are known. */
    @Test
    void aNaNIsFoundInItsMicroBatch() {
        String text = """
            remat 1
            model Logarithm() {
              symbol B
              input x: f32[B, 3]
              h = log(linear(x, 2) as first) + linear(x, 2) as second
              loss = mean(h)
            }
            train {
              minimize loss
              optimizer sgd(lr = 0.1)
            }
            """;
        var plan = TrialRun.compile(TrialRun.cut(text, "B=8", Purpose.TRAIN, 4, DType.F32), CompileOptions.defaults())
                .plan();
        try (CpuExecutable executable = new CpuExecutable(plan)) {
            Trainer trainer = new Trainer(executable, new BatchSource() {
                @Override
                public long batchesPerEpoch() {
                    return 1;
                }

                @Override
                public void fill(long step, InputSpec input, MemorySegment target) {
                    for (long i = 0; i < input.elements(); i++) {
                        float value = step == 2 ? Float.POSITIVE_INFINITY : 0;
                        target.setAtIndex(ValueLayout.JAVA_FLOAT, i, value);
                    }
                }
            });
            ArenaTensor bias = plan.input("first.bias");
            try (Arena arena = Arena.ofConfined()) {
                executable.write(bias.offset(), arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1, 2));
            }
            String before = trainer.state().hash();
            assertThatThrownBy(trainer::step)
                    .isInstanceOf(NotANumberException.class)
                    .hasMessageContaining("the loss of step 1 is")
                    .hasMessageContaining("micro-batch 3 of 4");
            assertThat(trainer.state().hash()).isEqualTo(before);
            assertThat(trainer.isIntact()).isTrue();
        }
    }

    /** After a step, by name. */
    private static Map<String, double[]> statistics(String text, int count) {
        var plan = TrialRun.compile(
                        TrialRun.cut(text, "B=8", Purpose.TRAIN, count, DType.F64), CompileOptions.defaults())
                .plan();
        Map<String, double[]> statistics = new LinkedHashMap<>();
        try (CpuExecutable executable = new CpuExecutable(plan);
                SyntheticDataset data = new SyntheticDataset()) {
            Trainer trainer = new Trainer(executable, data.training(InputFeed.specs(plan), plan.seed()));
            trainer.step();
            trainer.state().tensors().stream()
                    .filter(tensor -> tensor.name().contains("running"))
                    .forEach(tensor ->
                            statistics.put(tensor.name(), numbers(tensor.data().asByteBuffer(), DType.F64)));
        }
        return statistics;
    }

    @Test
    void everyStrategyGivesTheSameBits() throws IOException {
        String text = TrialRun.sample("gpt");
        String settings = "B=8,T=5,vocab=11,width=8,depth=2,heads=2,context=8";
        Set<String> states = new LinkedHashSet<>();
        Set<String> recomputing = new LinkedHashSet<>();
        for (Planner strategy : Strategies.all()) {
            Compilation plan = train(
                    text, settings, CompileOptions.defaults().with(strategy).with(Effort.QUICK));
            states.add(TrialRun.train(plan, STEPS, THREADS, true).stateHash());
            if (recomputedInRounds(plan) > 0) {
                recomputing.add(strategy.name());
            }
        }
        assertThat(states).hasSize(1);
        assertThat(recomputing).hasSizeGreaterThan(7);
    }

    private static Compilation train(String text, String settings, CompileOptions options) {
        return TrialRun.compile(TrialRun.cut(text, settings, Purpose.TRAIN, 2, DType.F32), options);
    }

    /** Steps that recompute something in the second round as in the first. */
    private static long recomputedInRounds(Compilation compilation) {
        long steps = compilation.plan().steps().stream()
                .filter(step -> step.recomputed())
                .filter(step -> compilation
                                .plan()
                                .section(compilation.plan().steps().indexOf(step))
                                .times()
                        == 2)
                .count();
        long clones = compilation.rematerialized().graph().nodes().stream()
                .filter(Node::isClone)
                .count();
        return Math.min(steps, clones);
    }

    private static Map<String, double[]> gradients(
            String text, String settings, int count, DType precision, long batch) {
        Compilation plan = TrialRun.compile(
                TrialRun.cut(text, settings, Purpose.GRADIENTS, count, precision),
                CompileOptions.defaults().withStrategy("keep-all"));
        assertThat(plan.plan().microBatches()).isEqualTo(count);
        Map<String, double[]> outputs = new LinkedHashMap<>();
        TrialRun.outputs(plan, THREADS, batch).forEach((name, bytes) -> {
            if (name.startsWith("loss") || name.startsWith("grad.")) {
                outputs.put(name, numbers(bytes, precision));
            }
        });
        assertThat(outputs).containsKey("loss").hasSizeGreaterThan(4);
        return outputs;
    }

    private static double[] numbers(ByteBuffer bytes, DType precision) {
        ByteBuffer data = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        double[] numbers = new double[data.remaining() / precision.bytes()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = precision == DType.F64 ? data.getDouble() : data.getFloat();
        }
        return numbers;
    }

    private static Map<String, double[]> mean(List<Map<String, double[]>> parts) {
        Map<String, double[]> mean = new LinkedHashMap<>();
        for (Map<String, double[]> part : parts) {
            part.forEach((name, values) -> {
                double[] sum = mean.computeIfAbsent(name, key -> new double[values.length]);
                for (int i = 0; i < values.length; i++) {
                    sum[i] += values[i] / parts.size();
                }
            });
        }
        return mean;
    }

    /** By the largest element of each tensor; one that is zero but for rounding is held against the largest of all. */
    private static void requireClose(
            Map<String, double[]> actual, Map<String, double[]> expected, double tolerance, String what) {
        assertThat(actual.keySet()).as(what).isEqualTo(expected.keySet());
        double largest = expected.values().stream()
                .mapToDouble(MicroBatchesTest::largest)
                .max()
                .orElseThrow();
        expected.forEach((name, values) -> {
            double[] found = actual.get(name);
            double scale = Math.max(largest(values), 1e-3 * largest);
            for (int i = 0; i < values.length; i++) {
                assertThat(Math.abs(found[i] - values[i]) / scale)
                        .as("%s: %s[%d], %s for %s", what, name, i, found[i], values[i])
                        .isLessThanOrEqualTo(tolerance);
            }
        });
    }

    private static double largest(double[] values) {
        double largest = 0;
        for (double value : values) {
            largest = Math.max(largest, Math.abs(value));
        }
        return largest;
    }
}
