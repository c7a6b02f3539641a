package dev.remat.tests.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import dev.remat.ir.artifact.ArtifactReader;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.tests.cuda.RecordOps;
import dev.remat.tests.cuda.TestDriver;
import dev.remat.tests.process.RematProcess;
import dev.remat.tests.process.RematProcess.Result;
import dev.remat.tests.steps.OpCases;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProveOnGpuTest {
    private static final Architecture ARCHITECTURE = Architecture.SM_80;
    private static final String MODEL = """
        remat 1

        model Tiny() {
          symbol B
          input x: f32[B, 8]
          input target: i32[B]

          repeat 4 { x = x + dropout(linear(x, 8) |> gelu, 0.25) }
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
        ops = cases.resolve("ops-f32");
        RecordOps.run(
                OpCases.normalizations(DType.F32),
                ARCHITECTURE,
                CodegenOptions.DEFAULT,
                ops.resolve("artifact.0"),
                ops.resolve("recording"));
        Path model = Files.writeString(folder.resolve("tiny.model"), MODEL);
        MakeCases make = new MakeCases(folder, cases, List.of(ARCHITECTURE));
        make.model("steps-tiny", model, "B=4", "f32", 1);
        make.model("steps-cut", model, "B=4", "f32", 2);
        make.model("speed-tiny", model, "B=4", "f32", 1);
        driver = TestDriver.build(folder.resolve("driver"));
        List<ExecutionPlan> plans = new ArrayList<>();
        plans.add(ArtifactReader.read(ops.resolve("artifact.0")).plan());
        for (String name : List.of("steps-tiny", "steps-cut")) {
            for (int i = 0; i < 3; i++) {
                plans.add(ArtifactReader.read(cases.resolve(name).resolve("artifact." + i))
                        .plan());
            }
        }
        kernels = TestDriver.kernels(plans, ARCHITECTURE, folder.resolve("kernels"));
    }

    private static Result prove(String... words) throws IOException, InterruptedException {
        return new RematProcess(folder)
                .withMain(ProveOnGpu.class)
                .with("LD_LIBRARY_PATH", driver)
                .with("REMAT_TEST_KERNELS", kernels)
                .run(words);
    }

    @Test
    void familiesAndStepsThatAgreeAreVerified() throws IOException, InterruptedException {
        Path verified = folder.resolve("verified");
        Result result = prove(folder.resolve("cases").toString(), verified.toString());
        assertThat(result.out()).contains("all as it has to be").doesNotContain("FAILED");
        assertThat(result.out()).containsPattern("steps-tiny +ok  3 plans").containsPattern("steps-cut +ok  3 plans");
        assertThat(result.out())
                .containsPattern("speed-tiny +[0-9.]+ ms  a step")
                .containsPattern("ms  elementwise");
        assertThat(result.exitCode()).isZero();
        assertThat(Files.readString(verified)).contains("elementwise").contains("normalization");
    }

    @Test
    void aResultThatDiffersFailsItsFamilyAlone() throws IOException, InterruptedException {
        Path recording = ops.resolve("recording");
        byte[] right = Files.readAllBytes(recording);
        byte[] wrong = right.clone();
        // The low byte of the last result; the loss of four bytes comes after it.
        wrong[wrong.length - 8] ^= 1;
        Files.write(recording, wrong);
        try {
            Path verified = folder.resolve("verified-but-one");
            Result result = prove(folder.resolve("cases").toString(), verified.toString());
            assertThat(result.out()).containsPattern("[a-z_]+ +FAILED").containsPattern("[a-z_]+ +ok");
            assertThat(result.out()).contains("1 of ").contains("1 problems");
            assertThat(result.exitCode()).isEqualTo(1);
        } finally {
            Files.write(recording, right);
        }
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
