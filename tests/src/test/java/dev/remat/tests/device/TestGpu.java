package dev.remat.tests.device;

import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.forward.Continuation;
import dev.remat.compiler.forward.ContinueText;
import dev.remat.compiler.forward.Logits;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlaceSize;
import dev.remat.ir.plan.Tier;
import dev.remat.ir.target.RooflineCost;
import dev.remat.ir.target.TargetModel;
import dev.remat.tests.cuda.TestDriver;
import dev.remat.tests.process.RematHere;
import dev.remat.tests.process.RematProcess;
import dev.remat.tests.process.RematProcess.Result;
import dev.remat.tests.promises.TrialRun;
import dev.remat.tests.steps.AllCases;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * A machine with the tests' CUDA driver, on which commands run that concern one small language model, which draws
 * random numbers and has something to recompute.
 */
final class TestGpu {
    static final Architecture ARCHITECTURE = Architecture.SM_80;
    static final String SETTINGS = "B=4,T=32";
    /** Makes a table of 19 MB. */
    static final String LARGE = "rows=300000";
    /** Makes a table of which training keeps enough to have it below the arena. */
    static final String ROWS = "rows=5000";
    /** Lets tensors wait in memory of the host. */
    private static final Tier HOST = new Tier(PlaceSize.HOST, 1L << 30, 20_000_000_000L, 20_000_000_000L, 1_000);

    static final String[] BELOW = {"--host-budget", "1GiB", "--host-rates", "20GB/s:20GB/s:1us"};
    /** What {@code --micro-batches} is given where a batch is cut. */
    static final int CUT = 2;

    /** Counts of micro-batches: what holds for a cut batch holds for one that is whole. */
    static IntStream counts() {
        return AllCases.asked() ? IntStream.of(1, CUT) : IntStream.of(CUT);
    }

    private static final String MODEL = """
        remat 1

        model Tiny(width: int = 16, rows: int = 128) {
          symbol B, T
          input tokens: i32[B, T]
          input targets: i32[B, T]

          x = embedding(tokens, rows, width) as table
          repeat 8 { x = x + dropout(linear(layer_norm(x), width) |> gelu, 0.25) }
          loss = cross_entropy(linear(x, 128) as out, targets)
        }

        train {
          minimize loss
          optimizer adamw(lr = 1e-2)
          seed 3
        }
        """;

    /** One for all tests of a process, for its kernels take a while to compile. */
    private static final class Shared {
        private static final TestGpu GPU = new TestGpu(Path.of("target", "gpu").toAbsolutePath());
    }

    private final Path folder;
    private final Path driver;
    private final Path kernels;

    private TestGpu(Path folder) {
        this.folder = folder;
        TargetModel target = new CudaTarget(ARCHITECTURE);
        ElaboratedModel evaluation = elaborate(SETTINGS, Purpose.EVALUATE);
        ElaboratedModel generation = Logits.find(elaborate("B=1,T=32", Purpose.EVALUATE), Optional.empty())
                .orElseThrow()
                .asOutput("logits");
        Continuation continuation = ContinueText.run(
                        Logits.find(elaborate("B=1", Purpose.EVALUATE), Optional.empty())
                                .orElseThrow(),
                        "logits",
                        "T",
                        32)
                .orElseThrow();
        ElaboratedModel gradients = elaborate(SETTINGS, Purpose.GRADIENTS);
        try {
            this.driver = TestDriver.build(folder.resolve("driver"));
            List<ExecutionPlan> plans = new ArrayList<>(List.of(
                    training("keep-all", target),
                    training("sqrt", target),
                    largeTraining(target),
                    moving("activations", target),
                    moving("all", target),
                    moving(cut(Purpose.TRAIN), Movable.ACTIVATIONS, "offload-activations", target),
                    compile(evaluation, "keep-all", target),
                    compile(generation, "keep-all", target),
                    compile(continuation.at("T", 32), "keep-all", target),
                    compile(continuation.at("T", 1), "keep-all", target),
                    compile(gradients, "keep-all", target),
                    compile(gradients.withPrecision(DType.F64), "keep-all", target)));
            plans.addAll(withinBudgets(elaborate(SETTINGS, Purpose.TRAIN), target));
            ElaboratedModel cutGradients = cut(Purpose.GRADIENTS);
            plans.addAll(List.of(
                    cutTraining("keep-all", target),
                    cutTraining("sqrt", target),
                    compile(cutEvaluation(), "keep-all", target),
                    compile(cutGradients, "keep-all", target),
                    compile(cutGradients.withPrecision(DType.F64), "keep-all", target)));
            plans.addAll(withinBudgets(cut(Purpose.TRAIN), target));
            this.kernels = TestDriver.kernels(plans, ARCHITECTURE, folder.resolve("kernels"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static TestGpu shared() {
        return Shared.GPU;
    }

    private static ElaboratedModel elaborate(String settings, Purpose purpose) {
        return TrialRun.session(MODEL, settings).open(purpose);
    }

    /** The model as {@code --micro-batches} makes it. */
    private static ElaboratedModel cut(Purpose purpose) {
        return TrialRun.cut(MODEL, SETTINGS, purpose, CUT, DType.F32);
    }

    /** The evaluation beside a training step in micro-batches. */
    private static ElaboratedModel cutEvaluation() {
        return TrialRun.session(MODEL, SETTINGS).evaluationBeside(cut(Purpose.TRAIN));
    }

    /** The plan of a training step in micro-batches. */
    static ExecutionPlan cutTraining(String strategy, TargetModel target) {
        return compile(cut(Purpose.TRAIN), strategy, target);
    }

    /** The plan of a training step as the command makes it. */
    static ExecutionPlan training(String strategy, TargetModel target) {
        return compile(elaborate(SETTINGS, Purpose.TRAIN), strategy, target);
    }

    /** The same that keeps everything, as it is made with {@link #LARGE}. */
    static ExecutionPlan largeTraining(TargetModel target) {
        return compile(elaborate(SETTINGS + "," + LARGE, Purpose.TRAIN), "keep-all", target);
    }

    /** The step with {@link #ROWS} that keeps everything. */
    static ExecutionPlan withRows(TargetModel target) {
        return compile(elaborate(SETTINGS + "," + ROWS, Purpose.TRAIN), "keep-all", target);
    }

    /** The step as {@code --offload} makes it with {@link #BELOW}: of all, the one with {@link #ROWS}. */
    static ExecutionPlan moving(String what, TargetModel target) {
        return what.equals("all")
                ? moving(elaborate(SETTINGS + "," + ROWS, Purpose.TRAIN), Movable.ALL, "offload", target)
                : moving(elaborate(SETTINGS, Purpose.TRAIN), Movable.ACTIVATIONS, "offload-activations", target);
    }

    private static ExecutionPlan moving(ElaboratedModel model, Movable movable, String strategy, TargetModel target) {
        CompileOptions options =
                CompileOptions.defaults().withStrategy(strategy).with(new Below(List.of(HOST), movable));
        return new Compiler(target, new RooflineCost(target.device()))
                .compile(model, options)
                .plan();
    }

    /** Plans that {@code check} makes between the largest and the smallest. */
    private static List<ExecutionPlan> withinBudgets(ElaboratedModel model, TargetModel target) {
        long most = compile(model, "keep-all", target).arenaBytes();
        long least = compile(model, "sqrt", target).arenaBytes();
        CompileOptions options = CompileOptions.defaults().withStrategy("sqrt").with(Effort.QUICK);
        return DoubleStream.of(0.75, 0.5, 0.25, 0)
                .mapToObj(share -> new Compiler(target, new RooflineCost(target.device()))
                        .compile(model, options.withBudget(least + (long) (share * (most - least))))
                        .plan())
                .toList();
    }

    private static ExecutionPlan compile(ElaboratedModel model, String strategy, TargetModel target) {
        return new Compiler(target, new RooflineCost(target.device()))
                .compile(model, CompileOptions.defaults().withStrategy(strategy))
                .plan();
    }

    /** A library with the kernels of all plans that the tests run. */
    Path kernels() {
        return kernels;
    }

    /** Processes that find the driver, and what earlier ones have compiled. */
    RematProcess remat(Path scratch) throws IOException {
        return withoutDriver(scratch).with("LD_LIBRARY_PATH", driver).with("REMAT_TEST_KERNELS", kernels);
    }

    /** What comes of a command for which there need be no driver, in this process. */
    static Result here(Path scratch, String... words) throws IOException {
        Files.writeString(scratch.resolve("tiny.model"), MODEL);
        return RematHere.run(scratch, words);
    }

    /** Processes that find none. */
    RematProcess withoutDriver(Path scratch) throws IOException {
        Files.writeString(scratch.resolve("tiny.model"), MODEL);
        return new RematProcess(scratch).with("HOME", Files.createDirectories(folder.resolve("home")));
    }

    /** The words of a command over the model. */
    static String[] words(String command, String... more) {
        List<String> words = new ArrayList<>(List.of(command, "tiny.model", "--set", SETTINGS));
        words.addAll(List.of(more));
        return words.toArray(String[]::new);
    }

    /** The words of a training on synthetic data, which says for programs what it does. */
    static String[] train(int steps, String... more) {
        List<String> words =
                new ArrayList<>(List.of("--data", "synthetic", "--steps", Integer.toString(steps), "--json"));
        words.addAll(List.of(more));
        return words("train", words.toArray(String[]::new));
    }
}
