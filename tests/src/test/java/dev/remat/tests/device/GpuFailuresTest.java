package dev.remat.tests.device;

import static dev.remat.tests.device.TestGpu.train;
import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import dev.remat.tests.process.RematProcess;
import dev.remat.tests.process.RematProcess.Result;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Whatever a GPU lacks is said in one line, with a documented exit code, and never made up for on the CPU. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class GpuFailuresTest {
    private static final int USAGE = 2;
    private static final int DEVICE = 5;
    private static final int MEMORY = 6;
    private static final int NO_NUMBER = 7;

    @TempDir
    Path folder;

    private final TestGpu gpu = TestGpu.shared();

    private RematProcess remat() throws IOException {
        return gpu.remat(folder);
    }

    private static void fails(RematProcess remat, int exitCode, String... words)
            throws IOException, InterruptedException {
        fails(remat.run(train(2, "--device", "cuda")), exitCode, words);
    }

    private static void fails(Result run, int exitCode, String... words) {
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(exitCode);
        assertThat(run.err()).contains("remat: ").contains(words).doesNotContain("Exception", "\tat ");
        assertThat(run.out()).doesNotContain("stateHash");
    }

    @Test
    void aMachineWithoutDriver() throws IOException, InterruptedException {
        Result run = gpu.withoutDriver(folder).run(train(2, "--device", "cuda"));
        fails(run, DEVICE, "there is no CUDA driver on this machine", "libcuda.so.1");
        assertThat(run.err()).hasLineCount(1);
        assertThat(run.out()).isEmpty();
        assertThat(gpu.withoutDriver(folder).run("doctor").out())
                .containsPattern("(?m)^none +CUDA driver +there is no CUDA driver");
    }

    @Test
    void aDriverThatIsNone() throws IOException, InterruptedException {
        Path broken = Files.createDirectories(folder.resolve("broken"));
        Files.writeString(broken.resolve("libcuda.so.1"), "no library");
        fails(remat().with("LD_LIBRARY_PATH", broken), DEVICE, "there is no CUDA driver");
    }

    @Test
    void aDriverWithoutDevice() throws IOException, InterruptedException {
        fails(
                remat().with("REMAT_TEST_KERNELS", "none"),
                DEVICE,
                "the CUDA driver cannot start: no device (CUDA_ERROR_NO_DEVICE, 100)");
        fails(remat().run(train(2, "--device", "cuda:3")), DEVICE, "there is no GPU 3; the CUDA driver offers 0");
    }

    /** The driver pins what the arena is filled through, and all but a byte of what the plan moves to the host. */
    @Test
    void lessMemoryOfTheHostThanThePlanMoves() throws IOException, InterruptedException {
        ExecutionPlan plan = TestGpu.moving("activations", new CudaTarget(TestGpu.ARCHITECTURE));
        long needed = plan.transfers().places().getFirst().bytes();
        long staging = 2 * Math.min(plan.arenaBytes(), 8 << 20);
        String[] moving = Stream.of(train(1, "--device", "cuda", "--offload", "activations"), TestGpu.BELOW)
                .flatMap(Stream::of)
                .toArray(String[]::new);
        Result run = remat().with("REMAT_TEST_PINNED", staging + needed - 1).run(moving);
        fails(
                run,
                MEMORY,
                "what the plan moves to the host takes " + needed + " bytes of its memory, and the driver cannot pin"
                        + " so many");
        assertThat(run.err()).containsPattern("so many; [0-9]+ are free\n").contains("--host-budget ");
    }

    @Test
    void aCardThatNothingIsMadeFor() throws IOException, InterruptedException {
        fails(
                remat().with("REMAT_TEST_CAPABILITY", "75"),
                DEVICE,
                "Test Device is sm_75, and remat makes kernels for sm_80, sm_86, sm_89, sm_90a, sm_100a alone");
        Result doctor = remat().with("REMAT_TEST_CAPABILITY", "75").run("doctor");
        assertThat(doctor.out())
                .containsPattern("(?m)^none +GPU +Test Device, sm_75, for which remat makes no kernels");
    }

    @Test
    void aDriverOlderThanTheKernels() throws IOException, InterruptedException {
        fails(
                remat().with("REMAT_TEST_VERSION", "12080"),
                DEVICE,
                "the CUDA driver supports CUDA 12.8, and kernels are compiled by CUDA 13.1",
                "install a driver for CUDA 13 or later");
        // Code of a major version runs on all of its drivers.
        assertThat(remat().with("REMAT_TEST_VERSION", "13000")
                        .run(train(1, "--device", "cuda"))
                        .exitCode())
                .isZero();
    }

    /** Tensor cores' tiles are as large as an architecture allows, of whose cards some might have less. */
    @Test
    void lessSharedMemoryThanABlockTakes() throws IOException, InterruptedException {
        String[] tensorCores = {
            "--device", "cuda", "--precision", "bf16", "--allow-unverified", "--set", "B=4,T=32,width=64"
        };
        String less = " bytes of shared memory in a block, and Test Device gives no more than 8192";
        fails(
                remat().with("REMAT_TEST_SHARED", "8192").run(train(1, tensorCores)),
                DEVICE,
                "_tensor_",
                ", compiled for sm_80, has ",
                less,
                "build for sm_80 itself");
        assertThat(remat().run(train(1, tensorCores)).err()).doesNotContain("shared memory");
        // Plain kernels ask for none beyond what their texts declare, which a card may not have either.
        assertThat(remat().with("REMAT_TEST_SHARED", "49152")
                        .run(train(1, "--device", "cuda"))
                        .exitCode())
                .isZero();
        fails(
                remat().with("REMAT_TEST_SHARED", "1024"),
                DEVICE,
                ", compiled for sm_80, has ",
                " bytes of shared memory in a block, and Test Device gives no more than 1024");
    }

    @Test
    void lessMemoryThanTheArena() throws IOException, InterruptedException {
        long arena = TestGpu.training("keep-all", new CudaTarget(TestGpu.ARCHITECTURE))
                .arenaBytes();
        fails(
                remat().with("REMAT_TEST_FREE", arena - 1),
                MEMORY,
                "the arena takes " + arena + " bytes, and Test Device has " + (arena - 1) + " free of 17179869184",
                "--budget " + (arena - 1));
        assertThat(remat().with("REMAT_TEST_FREE", arena)
                        .run(train(1, "--device", "cuda"))
                        .exitCode())
                .isZero();
    }

    /** In a replay nobody can say which; alone it is named with its line. */
    @Test
    void aKernelThatFails() throws IOException, InterruptedException {
        RematProcess remat = remat().with("REMAT_TEST_FAULT", "layer_gradient@20");
        fails(
                remat,
                DEVICE,
                "training step 2 has failed in one of ",
                "unspecified launch failure (CUDA_ERROR_LAUNCH_FAILED, 719)",
                "REMAT_SYNC=1");
        fails(
                remat.with("REMAT_SYNC", "1"),
                DEVICE,
                "training step 2 has failed in layer_gradient",
                "at tiny.model:9:",
                "unspecified launch failure");
        fails(
                remat.run(train(2, "--device", "cuda", "--micro-batches", "" + TestGpu.CUT)),
                DEVICE,
                "training step 1 has failed in layer_gradient",
                ", in micro-batch 2 of 2: unspecified launch failure");
        // The state is on a device that has failed.
        fails(
                remat.with("REMAT_TEST_FAULT", "cross_entropy_f32@2")
                        .run(train(2, "--device", "cuda", "--save", "run")),
                DEVICE,
                "remat: the state after step 1 could not be saved: memory of the GPU cannot be read",
                "remat: stopped after step 1; nothing was saved",
                "training step 2 has failed in cross_entropy_f32");
    }

    /** What has been made of it is looked at through copies. */
    @Test
    void aLossThatIsNoNumber() throws IOException, InterruptedException {
        float[] weights = new float[128 * 16];
        weights[77] = Float.NaN;
        StoredTensor table = new StoredTensor(
                "table.weight",
                StoredType.F32,
                List.of(128L, 16L),
                Arena.ofAuto().allocateFrom(ValueLayout.JAVA_FLOAT, weights));
        SafetensorsWriter.write(folder.resolve("init.safetensors"), Map.of(), List.of(table));
        fails(
                remat().run(train(2, "--device", "cuda", "--init", "init.safetensors")),
                NO_NUMBER,
                "the loss of step 1 is NaN; the last update of table.weight has a NaN");
    }

    @Test
    void optionsThatDoNotConcernTheDevice() throws IOException {
        fails(TestGpu.here(folder, train(2, "--allow-tf32")), USAGE, "--allow-tf32 is about kernels of GPUs");
        fails(TestGpu.here(folder, train(2, "--device", "gpu")), USAGE, "unknown device 'gpu'");
        fails(TestGpu.here(folder, train(2, "--device", "cdua")), USAGE, "did you mean", "cuda");
    }
}
