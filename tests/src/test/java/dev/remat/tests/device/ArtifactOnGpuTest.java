package dev.remat.tests.device;

import static dev.remat.tests.device.TestGpu.train;
import static dev.remat.tests.device.TestGpu.words;
import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.tests.cuda.TestDriver;
import dev.remat.tests.process.RematProcess;
import dev.remat.tests.process.RematProcess.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What was built ahead of time runs as what is compiled at hand does, and says what it cannot. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class ArtifactOnGpuTest {
    private static final int STEPS = 3;
    private static final int USAGE = 2;
    private static final int DEVICE = 5;
    private static final int BAD_FILE = 8;

    @TempDir
    Path folder;

    private RematProcess remat() throws IOException {
        return TestGpu.shared().remat(folder);
    }

    private void build() throws IOException {
        Result built = TestGpu.here(folder, words("build", "--arch", "sm_80", "-o", "artifact"));
        assertThat(built.exitCode()).as(built.err()).isZero();
    }

    private static String[] trainArtifact(int steps, String... more) {
        List<String> words =
                new ArrayList<>(List.of("train", "artifact", "--data", "synthetic", "--steps", "" + steps, "--json"));
        words.addAll(List.of(more));
        return words.toArray(String[]::new);
    }

    private static void fails(Result run, int exitCode, String... words) {
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(exitCode);
        assertThat(run.err()).startsWith("remat: ").contains(words).doesNotContain("Exception");
    }

    @Test
    void artifactsAndModelsContinueEachOther() throws IOException, InterruptedException {
        build();
        TrainOutput model = TrainOutput.of(remat().run(train(STEPS, "--device", "cuda", "--save", "run")));
        Result run = remat().run(trainArtifact(STEPS, "--device", "cuda", "--save", "again"));
        assertThat(TrainOutput.of(run)).isEqualTo(model);
        assertThat(run.err()).isEmpty();

        TrainOutput further = TrainOutput.of(remat().run(train(STEPS + 1, "--device", "cuda", "--resume", "again")));
        Result back = remat().run(trainArtifact(STEPS + 1, "--device", "cuda", "--resume", "run"));
        assertThat(TrainOutput.of(back)).isEqualTo(further);
        assertThat(back.err()).isEqualTo("remat: goes on behind step " + STEPS + " of run\n");

        Result check = remat().run("check", "artifact", "--device", "cuda", "--steps", "" + STEPS);
        assertThat(check.exitCode()).as(check.err()).isZero();
        assertThat(check.out())
                .containsPattern("ok +freed memory overwritten .* same bits")
                .contains("kernels received all of it and no more", model.stateHash());

        Result profile = remat().run("profile", "artifact", "--device", "cuda", "--repeat", "1", "--warm-up", "0");
        assertThat(profile.exitCode()).as(profile.err()).isZero();
        assertThat(profile.out()).containsPattern("update +[0-9]+ runs +[0-9.]+ ms");
    }

    @Test
    void anArtifactMovesWhatItsModelDoes() throws IOException, InterruptedException {
        List<String> build = new ArrayList<>(List.of("--arch", "sm_80", "--offload", "activations", "-o", "artifact"));
        build.addAll(List.of(TestGpu.BELOW));
        Result built = TestGpu.here(folder, words("build", build.toArray(String[]::new)));
        assertThat(built.exitCode()).as(built.err()).isZero();
        String moved = "on the host +[0-9.]+ KiB +pinned; [0-9.]+ KiB stored and [0-9.]+ KiB fetched a step";
        assertThat(built.out()).containsPattern(moved);
        TrainOutput trained =
                TrainOutput.of(remat().with("REMAT_TEST_ORDER", "3").run(trainArtifact(STEPS, "--device", "cuda")));
        ExecutionPlan still = TestGpu.training("keep-all", new CudaTarget(TestGpu.ARCHITECTURE));
        assertThat(trained.stateHash())
                .isEqualTo(TestDriver.train(
                                still, TestGpu.ARCHITECTURE, TestGpu.shared().kernels(), STEPS)
                        .stateHash());
        Result explained = TestGpu.here(folder, "explain", "artifact", "--peak");
        assertThat(explained.exitCode()).as(explained.err()).isZero();
    }

    @Test
    void anArtifactCutsItsBatchAsItsModelDoes() throws IOException, InterruptedException {
        String[] cut = {"--micro-batches", "" + TestGpu.CUT};
        Result built = TestGpu.here(folder, words("build", "--arch", "sm_80", "-o", "artifact", cut[0], cut[1]));
        assertThat(built.exitCode()).as(built.err()).isZero();
        TrainOutput model = TrainOutput.of(remat().run(train(STEPS, "--device", "cuda", cut[0], cut[1])));
        assertThat(TrainOutput.of(remat().run(trainArtifact(STEPS, "--device", "cuda"))))
                .isEqualTo(model);
        Result check = remat().run("check", "artifact", "--device", "cuda", "--steps", "" + STEPS);
        assertThat(check.exitCode()).as(check.err()).isZero();
        assertThat(check.out())
                .containsPattern("ok +freed memory overwritten .* same bits")
                .contains(model.stateHash());
        Result profile = remat().run("profile", "artifact", "--device", "cuda", "--repeat", "3", "--warm-up", "0");
        assertThat(profile.exitCode()).as(profile.err()).isZero();
        assertThat(profile.out()).containsPattern("update +[0-9]+ runs +[0-9.]+ ms");
    }

    @Test
    @EnabledIfSystemProperty(named = "remat.cases", matches = "all")
    void anotherSeedNeedsNoOtherArtifact() throws IOException, InterruptedException {
        build();
        TrainOutput model = TrainOutput.of(remat().run(train(STEPS, "--device", "cuda", "--seed", "7")));
        Result seeded = remat().run(trainArtifact(STEPS, "--device", "cuda", "--seed", "7", "--save", "run"));
        assertThat(TrainOutput.of(seeded)).as(seeded.err()).isEqualTo(model);
        assertThat(TrainOutput.of(remat().run(trainArtifact(STEPS, "--device", "cuda"))))
                .isNotEqualTo(model);

        TrainOutput further = TrainOutput.of(remat().run(train(STEPS + 1, "--device", "cuda", "--resume", "run")));
        Result resumed = remat().run(trainArtifact(STEPS + 1, "--device", "cuda", "--resume", "run"));
        assertThat(TrainOutput.of(resumed)).as(resumed.err()).isEqualTo(further);
    }

    /** Its plan is made of the model that the artifact keeps. */
    @Test
    void anArtifactIsEvaluatedAsItsModelIs() throws IOException, InterruptedException {
        build();
        String[] evaluates = {"--device", "cuda", "--eval-every", "2", "--eval-batches", "2"};
        Result model = remat().run(train(STEPS, evaluates));
        Result artifact = remat().run(trainArtifact(STEPS, evaluates));
        assertThat(model.exitCode()).as(model.err()).isZero();
        assertThat(artifact.exitCode()).as(artifact.err()).isZero();
        assertThat(artifact.out().replaceAll("\"millis\":[^,}]+", ""))
                .contains("\"evalLoss\":")
                .isEqualTo(model.out().replaceAll("\"millis\":[^,}]+", ""));
    }

    @Test
    void whatGivesGradientsDoesNotTrain() throws IOException, InterruptedException {
        Result built = TestGpu.here(folder, words("build", "--arch", "sm_80", "--gradients", "-o", "artifact"));
        assertThat(built.exitCode()).as(built.err()).isZero();
        fails(
                TestGpu.here(folder, trainArtifact(1, "--device", "cuda")),
                BAD_FILE,
                "artifact: gives gradients and updates nothing; build it without --gradients to train");
        Result explained = TestGpu.here(folder, "explain", "artifact", "--peak");
        assertThat(explained.exitCode()).as(explained.err()).isZero();
        Result inspected = TestGpu.here(folder, "inspect", "artifact");
        assertThat(inspected.out()).contains("and --gradients");
        build();
        SafetensorsWriter.write(folder.resolve("nothing.safetensors"), Map.of(), List.of());
        fails(
                TestGpu.here(folder, "grad", "artifact", "--inputs", "nothing.safetensors", "--device", "cuda"),
                BAD_FILE,
                "artifact: trains, and keeps no gradients; build another one with --gradients");
    }

    @Test
    void whatCannotBeIsSaid() throws IOException, InterruptedException {
        build();
        fails(TestGpu.here(folder, trainArtifact(1)), USAGE, "artifact holds kernels for GPUs; it needs --device cuda");
        for (String[] decided : new String[][] {{"--set", "B=2"}, {"--budget", "80%"}}) {
            fails(
                    TestGpu.here(folder, trainArtifact(1, "--device", "cuda", decided[0], decided[1])),
                    USAGE,
                    decided[0] + " needs a model file");
        }
        fails(
                remat().with("REMAT_TEST_CAPABILITY", "90").run(trainArtifact(1, "--device", "cuda")),
                DEVICE,
                "Test Device is sm_90, and artifact was built for sm_80; build it again with --arch sm_90a");
        fails(
                remat().with("REMAT_TEST_CAPABILITY", "75").run(trainArtifact(1, "--device", "cuda")),
                DEVICE,
                "Test Device is sm_75, and artifact was built for sm_80; remat makes no kernels for this one");
        fails(
                remat().with("REMAT_TEST_VERSION", "12040").run(trainArtifact(1, "--device", "cuda")),
                DEVICE,
                "the CUDA driver supports CUDA 12.4");
        Result later = remat().with("REMAT_TEST_CAPABILITY", "89").run(trainArtifact(1, "--device", "cuda"));
        assertThat(later.exitCode()).as(later.err()).isZero();
        Path described = folder.resolve("artifact/run.json");
        Path manifest = folder.resolve("artifact/manifest.json");
        Files.delete(described);
        fails(TestGpu.here(folder, trainArtifact(1, "--device", "cuda")), BAD_FILE, "run.json: is missing");
        String listed = Files.readString(manifest);
        String earlier = listed.replaceFirst("\\{[^{}]*\"run\\.json\"[^{}]*\\},?\\s*", "");
        assertThat(earlier).isNotEqualTo(listed);
        Files.writeString(manifest, earlier.replaceFirst(",(\\s*\\]\\s*\\}\\s*)$", "$1"));
        fails(
                TestGpu.here(folder, trainArtifact(1, "--device", "cuda")),
                BAD_FILE,
                "lacks run.json, which says what it trains; build it with 'remat build'");
        Path cubin = folder.resolve("artifact/kernels.sm_80.cubin");
        byte[] bytes = Files.readAllBytes(cubin);
        bytes[bytes.length / 2] ^= 1;
        Files.write(cubin, bytes);
        fails(
                TestGpu.here(folder, trainArtifact(1, "--device", "cuda")),
                BAD_FILE,
                "its content is not what was built");
    }
}
