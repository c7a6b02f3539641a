package dev.remat.tests.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.DType;
import dev.remat.ir.artifact.ArtifactReader;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.tests.cuda.TestDriver;
import dev.remat.tests.process.RematProcess;
import dev.remat.tests.process.RematProcess.Result;
import dev.remat.tests.steps.OpSuite;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class ProveOnGpuTest {
    private static final Architecture ARCHITECTURE = Architecture.SM_80;
    private static final String MODEL = """
        remat 1

        model Tiny() {
          symbol B
          input x: f32[B, 8]
          input target: i32[B]

          repeat 4 { x = x + dropout(linear(x, 8) |> gelu, 0.25) }
          x = linear(x, 8) as before |> batch_norm |> relu
          loss = cross_entropy(linear(x, 5), target)
        }

        train {
          minimize loss
          optimizer adamw(lr = 1e-2)
        }
        """;

    @TempDir
    static Path folder;

    private static Path ops;
    private static Path driver;
    private static Path kernels;

    @BeforeAll
    static void makeCases() throws IOException, InterruptedException {
        Path cases = folder.resolve("cases");
        ops = cases.resolve("ops-f32-sums");
        Path model = Files.writeString(folder.resolve("tiny.model"), MODEL);
        MakeCases make = new MakeCases(folder, cases, List.of(ARCHITECTURE), _ -> true, _ -> {});
        make.ops(DType.F32, OpSuite.SUMS);
        make.model("steps-tiny", model, "B=4", DType.F32, 1);
        make.model("steps-cut", model, "B=4", DType.F32, 2);
        make.model("speed-tiny", model, "B=4", DType.F32, 1);
        driver = TestDriver.build(folder.resolve("driver"));
        List<ExecutionPlan> plans = new ArrayList<>();
        plans.add(ArtifactReader.read(ops.resolve("artifact.0")).plan());
        plans.addAll(plans("steps-tiny"));
        plans.addAll(plans("steps-cut"));
        kernels = TestDriver.kernels(plans, ARCHITECTURE, folder.resolve("kernels"));
    }

    /** The plans of a case. */
    private static List<ExecutionPlan> plans(String name) throws IOException {
        List<ExecutionPlan> plans = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Path artifact = folder.resolve("cases").resolve(name).resolve("artifact." + i);
            plans.add(ArtifactReader.read(artifact).plan());
        }
        return plans;
    }

    private static Result prove(String... words) throws IOException, InterruptedException {
        return on(driver, folder.resolve("home")).run(words);
    }

    /** @param programs what the {@code PATH} has before the shell's */
    private static RematProcess on(Path libraries, Path programs) {
        return new RematProcess(folder)
                .withMain(ProveOnGpu.class)
                .with("PATH", programs + ":/bin")
                .with("LD_LIBRARY_PATH", libraries)
                .with("REMAT_TEST_KERNELS", kernels);
    }

    @Test
    void familiesAndStepsThatAgreeAreVerified() throws IOException, InterruptedException {
        Path verified = folder.resolve("verified");
        Result result = prove(folder.resolve("cases").toString(), verified.toString());
        assertThat(result.out()).contains("all as it has to be").doesNotContain("FAILED");
        // The bias before the normalization has a gradient of zero, and moves by what rounding makes of that.
        assertThat(result.out())
                .containsPattern("steps-tiny +ok  3 plans, .* results are rounding alone")
                .containsPattern("steps-cut +ok  3 plans");
        assertThat(result.out())
                .containsPattern("speed-tiny +[0-9.]+ ms  a step")
                .containsPattern("optimizer_adam[_0-9a-z]+ +[0-9]+ +[0-9.]+ ");
        assertThat(result.out())
                .containsPattern("copies +[0-9]+ GB/s  within the card, of 32 at most")
                .containsPattern("products +4 TFLOP/s");
        assertThat(result.out())
                .containsPattern("sensors +left out  there is no libnvidia-ml")
                .containsPattern("sanitizer +left out")
                .containsPattern("PyTorch +left out");
        assertThat(result.exitCode()).isZero();
        assertThat(Files.readString(verified)).contains("sort").contains("tensors");
    }

    /** What is installed beside the driver is asked, too. */
    @Test
    void whatTheMachineHasIsUsed() throws IOException, InterruptedException {
        Path programs = Files.createDirectory(folder.resolve("programs"));
        Path sensors = Files.createDirectory(folder.resolve("sensors"));
        Files.copy(driver.resolve("libcuda.so.1"), sensors.resolve("libcuda.so.1"));
        TestDriver.buildSensors(sensors);
        Files.writeString(folder.resolve("torch_step.py"), "");
        program(programs, "compute-sanitizer", "shift 4; \"$@\" || exit 1");
        program(
                programs,
                "python3",
                "[ \"$1\" = -c ] && exit 0; case \"$*\" in *--compile*) exit 1;; esac; shift;"
                        + " [ \"$1 $2 $3\" = 'tiny --set B=4' ] || exit 1;"
                        + " for i in 1 2 3 4 5 6 7 8 9; do"
                        + " echo \"{\\\"step\\\": $i, \\\"loss\\\": 1.5, \\\"millis\\\": 5$i.25}\"; done");
        Result result = on(sensors, programs).run(folder.resolve("cases").toString());
        assertThat(result.out())
                .containsPattern("sensors +before  1755 MHz, memory 2619 MHz, 412 W, 55 C, 1,024 MiB used, throttled")
                .containsPattern("sanitizer +ok  .*/compute-sanitizer")
                .containsPattern("speed-tiny +58.250 ms  in PyTorch, eager; ours before and after it [0-9.]+ ms")
                .containsPattern("speed-tiny +left out  PyTorch, compiled has failed")
                .contains("all as it has to be");
        assertThat(result.exitCode()).isZero();
        program(programs, "compute-sanitizer", "echo '========= Invalid __global__ read of size 4'; exit 86");
        Result stray = on(sensors, programs).run(folder.resolve("cases").toString());
        assertThat(stray.out())
                .containsPattern("sanitizer +FAILED")
                .contains("sanitizer: ========= Invalid __global__ read");
        assertThat(stray.exitCode()).isEqualTo(1);
    }

    private static void program(Path folder, String name, String text) throws IOException {
        Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + text + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void casesForOtherCardsAreToldToBeLeftOut() throws IOException, InterruptedException {
        Result result = on(driver, folder)
                .with("REMAT_TEST_CAPABILITY", "90")
                .run(folder.resolve("cases").toString());
        assertThat(result.out()).containsPattern("steps-tiny +left out  was built for sm_80");
    }

    @Test
    void chosenCasesRunAlone() throws IOException, InterruptedException {
        Result result = prove(folder.resolve("cases").toString(), "--only", "ops-f32-sums");
        assertThat(result.out()).contains("sort").doesNotContain("steps-tiny").doesNotContain("copies");
        assertThat(result.exitCode()).isZero();
        assertThat(prove(folder.resolve("cases").toString(), "--onyl").exitCode())
                .isEqualTo(2);
    }

    @Test
    void aResultThatDiffersFailsItsFamilyAlone() throws IOException, InterruptedException {
        Path recording = MakeCases.recording(ops, ARCHITECTURE.label());
        byte[] right = Files.readAllBytes(recording);
        byte[] wrong = right.clone();
        // Of the first result's hash.
        wrong[new String(wrong, StandardCharsets.ISO_8859_1).indexOf("\n\n") + 2] ^= 1;
        Files.write(recording, wrong);
        try {
            Path verified = folder.resolve("verified-but-one");
            Result result = prove(folder.resolve("cases").toString(), verified.toString());
            assertThat(result.out()).containsPattern("[a-z_]+ +FAILED").containsPattern("[a-z_]+ +ok");
            assertThat(result.out()).contains("other bits than were recorded").contains("1 problems");
            assertThat(result.exitCode()).isEqualTo(1);
        } finally {
            Files.write(recording, right);
        }
    }

    /** Four steps of 1 % of the rate of 1 %: a few parts in ten thousand. */
    @Test
    void aForgottenWeightDecayIsFoundAndNamed() throws IOException, InterruptedException {
        Path wrong = TestDriver.kernels(
                plans("steps-tiny"),
                ARCHITECTURE,
                text -> text.replace("math::fused(-c4, v0[v], v0[v])", "v0[v]"),
                folder.resolve("wrong"));
        Result result = on(driver, folder.resolve("home"))
                .with("REMAT_TEST_KERNELS", wrong)
                .run(folder.resolve("cases").toString(), "--only", "steps-tiny");
        assertThat(result.out())
                .containsPattern("steps-tiny +FAILED  3 plans, after.4/.*weight off the CPU's by")
                .containsPattern("steps-tiny: after.4/.*weight is off the CPU's by .*, more than 1.0e-04")
                .contains("others of");
        assertThat(result.exitCode()).isEqualTo(1);
    }

    /** As a user would who has nothing but a bundle. */
    @Test
    void theArtifactOfACaseTrains() throws IOException, InterruptedException {
        Result result = new RematProcess(folder)
                .with("LD_LIBRARY_PATH", driver)
                .with("REMAT_TEST_KERNELS", kernels)
                .run(
                        "train",
                        folder.resolve("cases/steps-tiny/artifact.0").toString(),
                        "--device",
                        "cuda",
                        "--data",
                        "synthetic",
                        "--steps",
                        "2");
        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.out()).contains("2 steps, loss");
    }

    @Test
    void withoutDriverThereIsNothingToProve() throws IOException, InterruptedException {
        Result result = new RematProcess(folder)
                .withMain(ProveOnGpu.class)
                .run(folder.resolve("cases").toString());
        assertThat(result.exitCode()).isEqualTo(5);
        assertThat(result.err()).contains("there is no CUDA driver");
    }
}
