package dev.remat.tests.device;

import static dev.remat.tests.device.TestGpu.train;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Transfer;
import dev.remat.runtime.checkpoint.Checkpoint;
import dev.remat.tests.cuda.TestDriver;
import dev.remat.tests.process.RematProcess;
import dev.remat.tests.process.RematProcess.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Trains in processes that find the tests' driver: the bits of the shim, by every way there is to the same step. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class TrainOnGpuTest {
    private static final int STEPS = 4;
    private static final int INTERRUPTED = 130;
    /** Of kernels that round otherwise. */
    private static final float LOSS_ERROR = 1e-5F;

    @TempDir
    Path folder;

    private final TestGpu gpu = TestGpu.shared();

    private RematProcess remat() throws IOException {
        return gpu.remat(folder);
    }

    private static String[] onGpu(int steps, String... more) {
        return Stream.concat(Stream.of(train(steps, more)), Stream.of("--device", "cuda"))
                .toArray(String[]::new);
    }

    @Test
    void everyPlanAndWayOfLaunchingGivesTheBitsOfTheShim() throws IOException, InterruptedException {
        ExecutionPlan plan = TestGpu.training("keep-all", new CudaTarget(TestGpu.ARCHITECTURE));
        TestDriver.Trained expected = TestDriver.train(plan, TestGpu.ARCHITECTURE, gpu.kernels(), STEPS);

        Result captured = remat().with("REMAT_TEST_GRAPHS", "count").run(onGpu(STEPS));
        TrainOutput kept = TrainOutput.of(captured);
        assertThat(kept.losses())
                .isEqualTo(expected.losses().stream().map(Double::floatValue).toList());
        assertThat(kept.stateHash()).isEqualTo(expected.stateHash());
        // All but the first step, and nothing has waited for memory that is not pinned.
        int launches = TestDriver.launches(plan, TestGpu.ARCHITECTURE);
        assertThat(captured.err()).isEqualTo((STEPS - 1) * launches + " launches replayed, held up 0 times\n");
        assertThat(captured.out()).contains("\"highWaterBytes\":" + plan.arenaBytes());

        Result plain = remat().with("REMAT_TEST_GRAPHS", "none").run(onGpu(STEPS));
        assertThat(TrainOutput.of(plain)).isEqualTo(kept);
        assertThat(plain.err())
                .containsOnlyOnce("remat: kernels are launched one by one, which takes longer: the driver has refused")
                .contains("operation not permitted when stream is capturing");

        Result single = remat().with("REMAT_SYNC", "1")
                .with("REMAT_TEST_GRAPHS", "count")
                .run(onGpu(STEPS, "--strategy", "sqrt", "--poison"));
        assertThat(TrainOutput.of(single)).isEqualTo(kept);
        assertThat(single.err()).startsWith("0 launches replayed");
        ExecutionPlan recomputing = TestGpu.training("sqrt", new CudaTarget(TestGpu.ARCHITECTURE));
        assertThat(recomputing.steps()).anyMatch(step -> step.recomputed());
    }

    @Test
    void microBatchesGiveTheBitsOfTheShimAndTheirGraphsAreReplayed() throws IOException, InterruptedException {
        ExecutionPlan plan = TestGpu.cutTraining("keep-all", new CudaTarget(TestGpu.ARCHITECTURE));
        TestDriver.Trained expected = TestDriver.train(plan, TestGpu.ARCHITECTURE, gpu.kernels(), STEPS);
        String[] cut = {"--micro-batches", "" + TestGpu.CUT};
        Result captured = remat().with("REMAT_TEST_GRAPHS", "count").run(onGpu(STEPS, cut));
        TrainOutput kept = TrainOutput.of(captured);
        assertThat(kept.losses())
                .isEqualTo(expected.losses().stream().map(Double::floatValue).toList());
        assertThat(kept.stateHash()).isEqualTo(expected.stateHash());
        // A section is captured once, and replayed in each round but the first of all.
        int once = TestDriver.launches(plan, TestGpu.ARCHITECTURE);
        int step = TestDriver.launchesInRounds(plan, TestGpu.ARCHITECTURE);
        assertThat(step).isGreaterThan(once);
        assertThat(captured.err()).isEqualTo(STEPS * step - once + " launches replayed, held up 0 times\n");
        assertThat(captured.out()).contains("\"highWaterBytes\":" + plan.arenaBytes());

        Result moving = remat().with("REMAT_TEST_ORDER", "early")
                .run(onGpu(STEPS, onHost("--offload", "activations", cut[0], cut[1])));
        assertThat(TrainOutput.of(moving)).isEqualTo(kept);

        Result single = remat().with("REMAT_SYNC", "1")
                .run(onGpu(STEPS, "--strategy", "sqrt", "--poison", "--micro-batches", "" + TestGpu.CUT));
        assertThat(TrainOutput.of(single)).isEqualTo(kept);
        assertThat(TestGpu.cutTraining("sqrt", new CudaTarget(TestGpu.ARCHITECTURE))
                        .steps())
                .anyMatch(recomputing -> recomputing.recomputed());
    }

    /** Copies run beside kernels as late as events let them, and then as early; state goes on from a checkpoint. */
    @Test
    void tensorsThatWaitOnTheHostGiveTheBitsOfTheShim() throws IOException, InterruptedException {
        CudaTarget target = new CudaTarget(TestGpu.ARCHITECTURE);
        ExecutionPlan moving = TestGpu.moving("activations", target);
        assertThat(moving.transfers().all()).anyMatch(Transfer::isStore).anyMatch(each -> !each.isStore());
        TestDriver.Trained expected =
                TestDriver.train(TestGpu.training("keep-all", target), TestGpu.ARCHITECTURE, gpu.kernels(), STEPS);
        Result captured =
                remat().with("REMAT_TEST_GRAPHS", "count").run(onGpu(STEPS, onHost("--offload", "activations")));
        assertThat(TrainOutput.of(captured).stateHash()).isEqualTo(expected.stateHash());
        int launches = TestDriver.launches(moving, TestGpu.ARCHITECTURE);
        assertThat(captured.err()).isEqualTo((STEPS - 1) * launches + " launches replayed, held up 0 times\n");
        assertThat(captured.out())
                .contains("\"highWaterBytes\":" + moving.arenaBytes())
                .contains("\"moved\":{\"storedBytes\":%d,\"fetchedBytes\":%d}"
                        .formatted(moved(moving, true), moved(moving, false)));

        ExecutionPlan below = TestGpu.moving("all", target);
        assertThat(below.inputs()).anyMatch(input -> !input.isInArena());
        TestDriver.Trained kept =
                TestDriver.train(TestGpu.withRows(target), TestGpu.ARCHITECTURE, gpu.kernels(), STEPS);
        String[] state = onHost("--set", TestGpu.ROWS, "--offload", "all", "--save", "run", "--poison");
        TrainOutput.of(remat().with("REMAT_TEST_ORDER", "early")
                .with("REMAT_SYNC", "1")
                .run(onGpu(2, state)));
        String[] again = onHost("--set", TestGpu.ROWS, "--offload", "all", "--resume", "run");
        assertThat(TrainOutput.of(remat().run(onGpu(STEPS, again))).stateHash()).isEqualTo(kept.stateHash());
    }

    private static long moved(ExecutionPlan plan, boolean stored) {
        return plan.transfers().all().stream()
                .filter(transfer -> transfer.isStore() == stored)
                .mapToLong(transfer -> transfer.range().bytes())
                .sum();
    }

    private static String[] onHost(String... more) {
        return Stream.concat(Stream.of(TestGpu.BELOW), Stream.of(more)).toArray(String[]::new);
    }

    @ParameterizedTest
    @MethodSource("dev.remat.tests.device.TestGpu#counts")
    void checkpointsGoBetweenGpuAndCpu(int microBatches) throws IOException, InterruptedException {
        String[] cut = {"--micro-batches", "" + microBatches};
        List<Float> cpu = TrainOutput.of(remat().run(train(STEPS))).losses();
        TrainOutput.of(remat().run(onGpu(2, "--save", "run", cut[0], cut[1])));
        Result onCpu = remat().run(train(3, "--resume", "run", "--save", "run", cut[0], cut[1]));
        TrainOutput third = TrainOutput.of(onCpu);
        assertThat(onCpu.err()).contains("not as in run: ", "gpu is gone, was sm_80", "bits may differ");
        Result back = remat().run(onGpu(STEPS, "--resume", "run", "--eval-every", "1", cut[0], cut[1]));
        TrainOutput fourth = TrainOutput.of(back);
        assertThat(back.err()).contains("gpu is sm_80, was not there");
        assertThat(back.out()).contains("\"evalLoss\":");
        assertThat(third.losses().getFirst()).isCloseTo(cpu.get(2), within(LOSS_ERROR * cpu.get(2)));
        assertThat(fourth.losses().getFirst()).isCloseTo(cpu.get(3), within(LOSS_ERROR * cpu.get(3)));
    }

    @Test
    void anInterruptedRunGoesOnAsIfNothingHadHappened() throws IOException, InterruptedException {
        RematProcess remat = remat().startedBy("env", "--default-signal=INT");
        Process process = remat.start(onGpu(1_000_000, "--save", "run", "--save-every", "1"));
        for (int i = 0; i < 1200 && process.isAlive() && !Files.exists(folder.resolve("run/meta.json")); i++) {
            Thread.sleep(50);
        }
        assertThat(new ProcessBuilder("kill", "-INT", Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
        Result interrupted = remat.await(process);
        assertThat(interrupted.exitCode()).as(interrupted.err()).isEqualTo(INTERRUPTED);
        assertThat(interrupted.err()).contains("remat: interrupted after step ");
        int done;
        try (Checkpoint checkpoint = Checkpoint.open(folder.resolve("run"))) {
            done = (int) checkpoint.meta().step();
        }
        String resumed =
                TrainOutput.of(remat().run(onGpu(done + 2, "--resume", "run"))).stateHash();
        assertThat(resumed)
                .isEqualTo(TrainOutput.of(remat().run(onGpu(done + 2))).stateHash());
    }

    /** A table of 19 MB goes through pinned memory in pieces, there and back. */
    @Test
    void tensorsMayBeLongerThanWhatIsPinned() throws IOException, InterruptedException {
        ExecutionPlan plan = TestGpu.largeTraining(new CudaTarget(TestGpu.ARCHITECTURE));
        String expected =
                TestDriver.train(plan, TestGpu.ARCHITECTURE, gpu.kernels(), 1).stateHash();
        assertThat(TrainOutput.of(remat().run(onGpu(1, "--set", TestGpu.LARGE))).stateHash())
                .isEqualTo(expected);
    }

    @Test
    void twoRunsAtOnceDoNotDisturbEachOther() throws IOException, InterruptedException {
        RematProcess remat = remat();
        Process first = remat.start(onGpu(STEPS));
        Process second = remat.start(onGpu(STEPS, "--strategy", "sqrt"));
        TrainOutput kept = TrainOutput.of(remat.await(first));
        assertThat(TrainOutput.of(remat.await(second))).isEqualTo(kept);
        assertThat(kept.losses()).hasSize(STEPS);
    }
}
