package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileEvaluation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.RowsOf;
import dev.remat.ir.plan.Tier;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.checkpoint.Checkpoint;
import dev.remat.runtime.checkpoint.RunFacts;
import dev.remat.runtime.checkpoint.RunFacts.Part;
import dev.remat.runtime.checkpoint.RunFolder;
import dev.remat.runtime.checkpoint.RunFolder.Existing;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.lane.HostPlace;
import dev.remat.runtime.lane.Lanes;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.Trainer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Optimizer state that lives below the arena comes for its update slice by slice where all of it would set the floor;
 * a run has the bits that it has without, in any arena and from any checkpoint.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class SlicedUpdatesTest {
    private static final List<Tier> TIERS = List.of(new Tier("disk", 1L << 40, 3_000_000_000L, 7_000_000_000L, 2_000));
    /** A weight of 256 KiB: beside it and its gradient four slices of state, for each is to be 64 KiB. */
    private static final String WIDE = """
        remat 1

        optimizer own(lr: float, kept: float = 0.9) {
          mean = state()
          largest = state(0.5)
          largest = max(kept * largest, abs(gradient))
          mean = kept * mean + (1.0 - kept) * gradient
          parameter = parameter - lr / sqrt(step) * tanh(mean / largest)
        }

        model Wide {
          symbol B
          input x: f32[B, 2048]
          param w: f32[2048, 32] = normal(std = 0.1)
          y = relu(x @ w)
          loss = mean(y * y)
        }

        train {
          minimize loss
          optimizer %s
          %s
        }
        """;

    private static final long WEIGHT = 2048 * 32 * 4;
    private static final String ADAM = "adamw(lr = 1e-2)";

    private static CompileOptions below(Movable movable) {
        return CompileOptions.defaults().with(Effort.QUICK).with(new Below(TIERS, movable));
    }

    private static Compilation compile(String text, String settings, CompileOptions options) {
        return TrialRun.compile(TrialRun.elaborate(text, settings, Purpose.TRAIN), options);
    }

    private static List<ArenaTensor> slices(ExecutionPlan plan) {
        return plan.inputs().stream().filter(input -> input.rows().isPresent()).toList();
    }

    private static void requireSameBits(Compilation still, List<Compilation> cut) {
        String expected = MovingRun.train(still.plan(), transfer -> {});
        assertThat(slices(still.plan())).isEmpty();
        Random random = new Random(5);
        for (Compilation sliced : cut) {
            assertThat(slices(sliced.plan())).isNotEmpty().noneMatch(ArenaTensor::isInArena);
            Consumer<Transfer> late = transfer -> LockSupport.parkNanos(random.nextInt(300_000));
            assertThat(MovingRun.train(sliced.plan(), late)).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ADAM,
                "adam(lr = 1e-2, amsgrad = true, weight_decay = 0.1)",
                "nadam(lr = 1e-2)",
                "radam(lr = 1e-2)",
                "adamax(lr = 1e-2)",
                "lion(lr = 1e-2)",
                "adan(lr = 1e-2)",
                "own(lr = 1e-2)",
                "sgd(lr = 1e-2, momentum = 0.9, nesterov = true)",
                "rmsprop(lr = 1e-2, momentum = 0.5, centered = true)",
                "adagrad(lr = 1e-2, initial_accumulator_value = 0.5)",
                "adamw(lr = 1e-2, clip_norm = 0.1)"
            })
    void everyOptimizerKeepsItsBits(String optimizer) {
        String text = WIDE.formatted(optimizer, "");
        Compilation still = compile(text, "B=4", CompileOptions.defaults());
        Compilation state = compile(text, "B=4", below(Movable.STATE));
        requireSameBits(still, List.of(state, compile(text, "B=4", below(Movable.ALL))));
    }

    /** Steps that are skipped leave every slice as it is; an average follows the last one. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "loss_scale dynamic(init_scale = 4.0, growth_interval = 2) | 1.0",
                "loss_scale dynamic(init_scale = 3e38, growth_interval = 2) | 1000.0",
                "average ema(decay = 0.5) | 1.0"
            })
    void conditionsAndReadersFollowTheChain(String clause, String factor) {
        String text = WIDE.formatted(ADAM, clause).replace("mean(y * y)", "mean(y * y) * " + factor);
        Compilation still = compile(text, "B=4", CompileOptions.defaults());
        requireSameBits(still, List.of(compile(text, "B=4", below(Movable.STATE))));
    }

    /** Tied weights, whose gradients add up. */
    @Test
    void aSharedTableIsCut() throws IOException {
        String gpt = TrialRun.sample("gpt").replace(", clip_norm = 1.0", "");
        String settings = "B=2,T=4,vocab=4096,width=32,depth=1,heads=2,context=4,drop=0.1";
        Compilation still = compile(gpt, settings, CompileOptions.defaults());
        requireSameBits(still, List.of(compile(gpt, settings, below(Movable.STATE))));
    }

    @ParameterizedTest
    @CsvSource({"2, F32", "4, F32", "2, BF16"})
    void microBatchesUpdateSliceBySlice(int parts, DType precision) {
        String text = WIDE.formatted(ADAM, "");
        ElaboratedModel model = TrialRun.cut(text, "B=8", Purpose.TRAIN, parts, precision);
        Compilation cut = TrialRun.compile(model, below(Movable.STATE));
        requireSameBits(TrialRun.compile(model, CompileOptions.defaults()), List.of(cut));
        assertThat(cut.plan().isInSections()).isTrue();
    }

    /**
     * Forward and backward need the weight or its gradient beside a batch; the update both, and one slice of each
     * moment.
     */
    @Test
    void theFloorFallsAsSaid() {
        String text = WIDE.formatted(ADAM, "");
        Compilation below = compile(text, "B=4", below(Movable.STATE));
        assertThat(slices(below.plan()))
                .extracting(ArenaTensor::name, input -> input.rows().orElseThrow())
                .containsExactlyInAnyOrder(
                        tuple("optimizer.exp_avg.w[0:512]", new RowsOf("optimizer.exp_avg.w", 0)),
                        tuple("optimizer.exp_avg.w[512:1024]", new RowsOf("optimizer.exp_avg.w", 512)),
                        tuple("optimizer.exp_avg.w[1024:1536]", new RowsOf("optimizer.exp_avg.w", 1024)),
                        tuple("optimizer.exp_avg.w[1536:2048]", new RowsOf("optimizer.exp_avg.w", 1536)),
                        tuple("optimizer.exp_avg_sq.w[0:512]", new RowsOf("optimizer.exp_avg_sq.w", 0)),
                        tuple("optimizer.exp_avg_sq.w[512:1024]", new RowsOf("optimizer.exp_avg_sq.w", 512)),
                        tuple("optimizer.exp_avg_sq.w[1024:1536]", new RowsOf("optimizer.exp_avg_sq.w", 1024)),
                        tuple("optimizer.exp_avg_sq.w[1536:2048]", new RowsOf("optimizer.exp_avg_sq.w", 1536)));
        // The number of the step, and the scalars of the update: how far it goes along the first moment, what squares
        // are multiplied by, and how much of the parameter decays; 256 bytes at least each.
        long scalars = 4 * 256;
        long batch = 4 * 2048 * 4;
        long floor = batch + scalars + 2 * WEIGHT + 2 * WEIGHT / 4;
        assertThat(below.search().floor().bytes()).isEqualTo(floor);
        Compilation least = compile(text, "B=4", below(Movable.STATE).withBudget(floor + 4096));
        assertThat(least.plan().arenaBytes()).isLessThanOrEqualTo(floor + 4096);
    }

    /** What is cut does not depend on the budget; where state may stay, or nothing is gained, nothing is cut. */
    @Test
    void onlyWhatSetsTheFloorIsCut() {
        String text = WIDE.formatted(ADAM, "");
        Compilation free = compile(text, "B=4", below(Movable.STATE));
        Compilation tight = compile(text, "B=4", below(Movable.STATE).withBudget(5 * WEIGHT));
        assertThat(slices(tight.plan())).hasSameSizeAs(slices(free.plan()));
        assertThat(slices(compile(text, "B=4", below(Movable.AUTO)).plan())).isEmpty();
        assertThat(slices(compile(text, "B=4", below(Movable.AUTO).withBudget(3 * WEIGHT))
                        .plan()))
                .hasSameSizeAs(slices(free.plan()));
        assertThat(slices(compile(text, "B=4", below(Movable.ACTIVATIONS).withStrategy("keep-all"))
                        .plan()))
                .isEmpty();
        // A batch so large that a product needs more than a whole update.
        String large = text.replace("x @ w", "relu(x * x) @ w");
        assertThat(slices(compile(large, "B=4", below(Movable.STATE)).plan())).isNotEmpty();
        assertThat(slices(compile(large, "B=256", below(Movable.STATE)).plan())).isEmpty();
        for (String optimizer : List.of("sgd(lr = 1e-2)", "adafactor(lr = 1e-2)")) {
            ExecutionPlan whole = compile(WIDE.formatted(optimizer, ""), "B=4", below(Movable.STATE))
                    .plan();
            assertThat(slices(whole)).isEmpty();
            assertThat(whole.inputs()).anyMatch(input -> !input.isInArena());
        }
    }

    /** A checkpoint does not tell what was cut, and either goes on from the other's. */
    @Test
    void checkpointsHoldWholeTensors(@TempDir Path folder) throws IOException {
        String text = WIDE.formatted(ADAM, "");
        ExecutionPlan still = compile(text, "B=4", CompileOptions.defaults()).plan();
        ExecutionPlan cut = compile(text, "B=4", below(Movable.STATE)).plan();
        assertThat(slices(cut)).isNotEmpty();
        Path first = save(still, 2, folder.resolve("none"), folder.resolve("still"));
        Path second = save(cut, 2, folder.resolve("none"), folder.resolve("cut"));
        assertThat(second).hasSameBinaryContentAs(first);
        Path onStill = save(still, 1, folder.resolve("cut"), folder.resolve("on-still"));
        Path onCut = save(cut, 1, folder.resolve("still"), folder.resolve("on-cut"));
        assertThat(onCut).hasSameBinaryContentAs(onStill);
        assertThat(Files.mismatch(onStill, first)).isNotNegative();
    }

    /** Trains on from a checkpoint if there is one, and writes one; its tensors' file. */
    private static Path save(ExecutionPlan plan, int steps, Path from, Path to) throws IOException {
        try (CpuExecutable executable = new CpuExecutable(plan, options());
                SyntheticDataset data = new SyntheticDataset()) {
            Trainer trainer = new Trainer(executable, data.training(InputFeed.specs(plan), plan.seed()));
            if (Files.exists(from)) {
                try (Checkpoint saved = Checkpoint.open(from)) {
                    trainer.resume(from, saved);
                }
            }
            for (int i = 0; i < steps; i++) {
                trainer.step();
            }
            try (RunFolder folder = RunFolder.open(to, Existing.CONTINUE, "test")) {
                trainer.save(folder, RunFacts.none().with(Part.SEED, String.valueOf(plan.seed())));
            }
        }
        try (Stream<Path> written = Files.list(to)) {
            return written.filter(path -> path.getFileName().toString().startsWith("state-"))
                    .max(Comparator.naturalOrder())
                    .orElseThrow();
        }
    }

    private static CpuExecutable.Options options() {
        return new CpuExecutable.Options(
                1, true, new Lanes.Options(size -> new HostPlace(size.bytes()), true, transfer -> {}));
    }

    /** Evaluations take turns in the same places. */
    @Test
    void anEvaluationLeavesSlicesAlone() {
        String text = WIDE.formatted(ADAM, "");
        Compilation step = compile(text, "B=4", below(Movable.STATE));
        ElaboratedModel evaluation = TrialRun.elaborate(text, "B=4", Purpose.EVALUATE);
        CpuTarget target = new CpuTarget();
        ExecutionPlan within =
                CompileEvaluation.run(new Compiler(target, new RooflineCost(target.device())), step, evaluation);
        List<ArenaTensor> own = new ArrayList<>(slices(within));
        assertThat(own)
                .extracting(ArenaTensor::name)
                .containsExactlyInAnyOrderElementsOf(
                        slices(step.plan()).stream().map(ArenaTensor::name).toList());
        assertThat(own).allMatch(slice -> slice.kind() == InputKind.STATE);
        assertThat(within.arenaBytes()).isEqualTo(step.plan().arenaBytes());
    }
}
