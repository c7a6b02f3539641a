package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.tests.cuda.CProgram.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program without Java runs training steps and gets the bits that Java gets; what goes wrong is said in words. */
@Tag("slow")
class CAbiTest {
    private static final int STEPS = 4;

    @TempDir
    static Path folder;

    private static CProgram program;
    private static Path kernels;
    private static Path recording;

    @BeforeAll
    static void build() throws IOException {
        program = CProgram.build(
                TinyProgram.PLAN, TinyProgram.PROGRAM, List.of(Architecture.SM_80, Architecture.SM_90A), folder);
        kernels =
                ShimLibrary.compile(TinyProgram.PROGRAM.kernels(), 1, Files.createDirectory(folder.resolve("kernels")));
        recording = folder.resolve("recording");
        ShimLibrary library = ShimLibrary.load(kernels, TinyProgram.PROGRAM.kernels());
        try (ShimExecutable executable =
                new ShimExecutable(TinyProgram.PLAN, TinyProgram.PROGRAM, library, ShimOrder.FORWARD, Poison.ONES)) {
            Recording.write(executable, STEPS, recording);
        }
    }

    @Test
    void stepsGiveTheBitsThatJavaGets() throws IOException {
        Run run = program.run(kernels, recording, Map.of("REMAT_TEST_GRAPHS", "count"), "--exact");
        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).contains("step " + STEPS, STEPS + 1 + " of " + (STEPS + 1) + " equal bit for bit");
        // The first step launches both kernels one by one, the others replay them.
        assertThat(run.err()).contains(2 * (STEPS - 1) + " launches replayed");
    }

    @Test
    void withoutGraphsKernelsAreLaunchedOneByOne() throws IOException {
        Run run = program.run(kernels, recording, Map.of("REMAT_TEST_GRAPHS", "none"), "--exact", "--time", "3");
        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).contains("equal bit for bit", "ms a step");
    }

    @Test
    void otherResultsAreNoticed() throws IOException {
        byte[] bytes = Files.readAllBytes(recording);
        bytes[bytes.length - 1] ^= 0x10;
        Path changed = Files.write(folder.resolve("changed"), bytes);
        Run run = program.run(kernels, changed, Map.of(), "--exact");
        assertThat(run.status()).isOne();
        assertThat(run.out()).contains(STEPS + " of " + (STEPS + 1) + " equal bit for bit; 1 beyond the tolerance");
    }

    @Test
    void laterDevicesOfAGenerationRunItsCode() throws IOException {
        assertThat(program.run(kernels, recording, Map.of("REMAT_TEST_CAPABILITY", "89"))
                        .status())
                .isZero();
        assertThat(program.run(kernels, recording, Map.of("REMAT_TEST_CAPABILITY", "90"))
                        .status())
                .isZero();
    }

    @Test
    void anotherArchitectureIsRefused() throws IOException {
        for (String capability : List.of("75", "91", "100")) {
            Run run = program.run(kernels, recording, Map.of("REMAT_TEST_CAPABILITY", capability));
            assertThat(run.status()).isOne();
            assertThat(run.err())
                    .contains(
                            "Test Device is sm_" + capability + ", and this artifact was built for sm_80, sm_90a",
                            "--arch");
        }
    }

    @Test
    void aDriverThatCannotBeLoadedIsReported() throws IOException {
        Path broken = Files.createDirectories(folder.resolve("broken"));
        Files.writeString(broken.resolve("libcuda.so.1"), "no library, but as long as one\n".repeat(99));
        Run run = program.run(kernels, recording, Map.of("LD_LIBRARY_PATH", broken.toString()));
        assertThat(run.status()).isOne();
        assertThat(run.err()).contains("there is no CUDA driver");
    }

    @Test
    void aDriverThatFindsNoDeviceIsReported() throws IOException {
        Run run = program.run(folder.resolve("none"), recording, Map.of());
        assertThat(run.status()).isOne();
        assertThat(run.err()).contains("the CUDA driver cannot start: no device");
    }

    @Test
    void corruptAndMissingMachineCodeIsRefused() throws IOException {
        Path cubin = program.artifact().resolve("kernels.sm_80.cubin");
        byte[] bytes = Files.readAllBytes(cubin);
        try {
            bytes[6] ^= 1;
            Files.write(cubin, bytes);
            Run corrupt = program.run(kernels, recording, Map.of());
            assertThat(corrupt.status()).isOne();
            assertThat(corrupt.err()).contains(cubin + " is not the file that step.cc was built with");
            Files.delete(cubin);
            Run missing = program.run(kernels, recording, Map.of());
            assertThat(missing.status()).isOne();
            assertThat(missing.err()).contains(cubin + " cannot be read: No such file");
        } finally {
            bytes[6] ^= 1;
            Files.write(cubin, bytes);
        }
        assertThat(program.run(kernels, recording, Map.of()).status()).isZero();
    }
}
