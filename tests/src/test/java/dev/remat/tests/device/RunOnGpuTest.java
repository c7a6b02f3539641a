package dev.remat.tests.device;

import static dev.remat.tests.device.TestGpu.train;
import static dev.remat.tests.device.TestGpu.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import dev.remat.tests.process.MappedFiles;
import dev.remat.tests.process.RematProcess;
import dev.remat.tests.process.RematProcess.Result;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every command that runs a plan without training, on the tests' driver and on the CPU. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class RunOnGpuTest {
    private static final double LOSS_ERROR = 1e-5;
    /** Of the Euclidean norm of each gradient. */
    private static final double GRADIENT_ERROR = 1e-4;

    private static final Pattern LOSS = Pattern.compile("\"loss\" ?: ?([-0-9.eE]+)");

    @TempDir
    Path folder;

    private String run(String... words) throws IOException, InterruptedException {
        Result run = remat().run(words);
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        // A slow machine is told how far it is.
        assertThat(run.err().lines()).allMatch(line -> line.matches(".*, after [0-9]+ s"));
        return run.out();
    }

    /** What needs no GPU. */
    private String here(String... words) throws IOException {
        Result run = TestGpu.here(folder, words);
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        // A slow machine is told how far it is.
        assertThat(run.err().lines()).allMatch(line -> line.matches(".*, after [0-9]+ s"));
        return run.out();
    }

    private RematProcess remat() throws IOException {
        return TestGpu.shared().remat(folder);
    }

    private static double loss(String out) {
        Matcher loss = LOSS.matcher(out);
        assertThat(loss.find()).as(out).isTrue();
        return Double.parseDouble(loss.group(1));
    }

    /** Random draws among them, of another step too. */
    @Test
    void gradientsAreThoseOfTheCpu() throws IOException, InterruptedException {
        int[] ids = IntStream.range(0, 4 * 32).map(i -> i * 37 % 128).toArray();
        SafetensorsWriter.write(
                folder.resolve("batch.safetensors"), Map.of(), List.of(ids("tokens", ids), ids("targets", ids)));
        double[] losses = new double[3];
        for (int step = 1; step <= 2; step++) {
            String[] grad = words("grad", "--inputs", "batch.safetensors", "--json", "--step-seed", "" + step);
            losses[step] = loss(here(with(grad, "-o", "cpu.safetensors")));
            double onGpu = loss(run(with(grad, "-o", "gpu.safetensors", "--device", "cuda:0")));
            assertThat(onGpu).isCloseTo(losses[step], within(LOSS_ERROR * losses[step]));
            expectNear(read("gpu.safetensors"), read("cpu.safetensors"));
        }
        assertThat(Math.abs(losses[1] - losses[2])).isGreaterThan(100 * LOSS_ERROR);

        String[] cut = words("grad", "--inputs", "batch.safetensors", "--json", "--step-seed", "2");
        cut = with(cut, "-o", "cut.safetensors", "--device", "cuda", "--micro-batches", "" + TestGpu.CUT);
        assertThat(loss(run(cut))).isCloseTo(losses[2], within(LOSS_ERROR * losses[2]));
        expectNear(read("cut.safetensors"), read("cpu.safetensors"));

        String[] moving = words("grad", "--inputs", "batch.safetensors", "--json", "--step-seed", "2");
        moving = with(moving, "-o", "moving.safetensors", "--device", "cuda");
        Result moved = remat().run(with(moving, "--host-budget", "1GiB", "--offload", "activations"));
        assertThat(moved.exitCode()).as(moved.err()).isZero();
        assertThat(moved.err())
                .containsPattern("the host stores [0-9.]+ .iB/s and fetches [0-9.]+ .iB/s, as measured; --host-rates");
        assertThat(folder.resolve("moving.safetensors")).hasSameBinaryContentAs(folder.resolve("gpu.safetensors"));

        here(words("build", "--gradients", "--arch", "sm_80", "-o", "artifact"));
        String[] built = {"grad", "artifact", "--inputs", "batch.safetensors", "--json", "--step-seed", "2"};
        run(with(built, "-o", "built.safetensors", "--device", "cuda"));
        assertThat(folder.resolve("built.safetensors")).hasSameBinaryContentAs(folder.resolve("gpu.safetensors"));
        run(with(built, "-o", "seeded.safetensors", "--device", "cuda", "--seed", "4"));
        assertThat(Files.mismatch(folder.resolve("seeded.safetensors"), folder.resolve("gpu.safetensors")))
                .isNotNegative();
    }

    private static void expectNear(Map<String, float[]> actual, Map<String, float[]> expected) {
        assertThat(actual.keySet()).isEqualTo(expected.keySet()).contains("grad.table.weight");
        expected.forEach((name, values) -> assertThat(distance(values, actual.get(name)))
                .as(name)
                .isLessThanOrEqualTo(GRADIENT_ERROR * distance(values, new float[values.length])));
    }

    private static StoredTensor ids(String name, int[] ids) {
        MemorySegment data = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_INT, ids);
        return new StoredTensor(name, StoredType.I32, List.of(4L, 32L), data);
    }

    private static String[] with(String[] words, String... more) {
        String[] all = Arrays.copyOf(words, words.length + more.length);
        System.arraycopy(more, 0, all, words.length, more.length);
        return all;
    }

    private Map<String, float[]> read(String name) throws IOException {
        Map<String, float[]> tensors = new LinkedHashMap<>();
        try (SafetensorsFile file = SafetensorsFile.open(folder.resolve(name))) {
            for (StoredTensor tensor : file.tensors()) {
                tensors.put(tensor.name(), tensor.data().toArray(ValueLayout.JAVA_FLOAT_UNALIGNED));
            }
        }
        return tensors;
    }

    private static double distance(float[] a, float[] b) {
        return Math.sqrt(IntStream.range(0, a.length)
                .mapToDouble(i -> (double) a[i] - b[i])
                .map(d -> d * d)
                .sum());
    }

    @ParameterizedTest
    @MethodSource("dev.remat.tests.device.TestGpu#counts")
    void checkHoldsItsPromises(int microBatches) throws IOException, InterruptedException {
        String[] check = words("check", "--strategy", "sqrt", "--steps", "2", "--device", "cuda");
        String out = run(with(check, "--micro-batches", "" + microBatches));
        assertThat(out)
                .containsPattern("ok +sqrt +[0-9]+ +[0-9]+ +[1-9].* same bits")
                .containsPattern("[1-9] of them with recomputations; every arena was proven")
                .contains("kernels received all of it and no more")
                .containsPattern("ok +gradients +([0-9]+) of \\1 parameters agree");
    }

    @Test
    @EnabledIfSystemProperty(named = "remat.cases", matches = "all")
    void whatMovesIsCheckedAndTimed() throws IOException, InterruptedException {
        String[] check = words("check", "--strategy", "offload-activations", "--steps", "2", "--device", "cuda");
        assertThat(run(with(check, TestGpu.BELOW)))
                .containsPattern("ok +offload-activations +[0-9].* same bits")
                .contains("kernels received all of it and no more");
        String[] profile = words("profile", "--offload", "activations", "--repeat", "2", "--device", "cuda");
        assertThat(run(with(profile, TestGpu.BELOW)))
                .containsPattern("update +[0-9]+ +[0-9.]+ ms")
                .containsPattern("store to host( +[0-9.]+){3}\n +fetch from host( +[0-9.]+){3}\n")
                .containsPattern("kernels wait [0-9.]+ ms in a step");
    }

    /** Of the presets too, which would else unpack themselves to a folder that nobody verifies. */
    @Test
    void whatCallsTheDriverIsVerified() throws IOException, InterruptedException {
        Result doctor = remat().withMain(MappedFiles.class).run("doctor");
        assertThat(doctor.out())
                .containsPattern("(?m)^ok +CUDA driver +supports CUDA 13.1")
                .containsPattern("(?m)^ok +GPU +Test Device, sm_80, .* of 16.0 GiB free; runs kernels for sm_80");
        List<String> libraries = doctor.out()
                .lines()
                .filter(line -> line.matches("mapped .*/lib(jnicudart|jnijavacpp|cudart)\\.so.*"))
                .toList();
        assertThat(libraries).hasSize(3).allMatch(line -> line.contains("/home/.cache/remat/natives/"));
        assertThat(libraries.getFirst())
                .startsWith("mapped " + Path.of("target/gpu").toAbsolutePath());
        assertThat(Path.of("target/gpu/home/.javacpp")).doesNotExist();
    }

    @Test
    void profileTimesEveryKernel() throws IOException, InterruptedException {
        String[] profile = words("profile", "--device", "cuda", "--repeat", "3", "--warm-up", "1", "-o", "times.json");
        Result measured = remat().with("REMAT_TEST_GRAPHS", "count").run(profile);
        assertThat(measured.exitCode()).as(measured.err()).isZero();
        assertThat(measured.err()).matches("[1-9][0-9]* launches replayed, held up 0 times\n");
        String out = measured.out();
        Matcher groups = Pattern.compile("([0-9]+) of ([0-9]+) fusion groups were measured")
                .matcher(out);
        assertThat(groups.find()).as(out).isTrue();
        // A group that another one takes along is no kernel of its own, and is charged as others of its family are.
        assertThat(Integer.parseInt(groups.group(1))).isGreaterThan(Integer.parseInt(groups.group(2)) / 2);
        assertThat(out).contains("sm_80", "update");
        String planned = here(words("plan", "--target", "sm_80", "--costs", "times.json", "--strategy", "sqrt"));
        assertThat(planned).contains("times.json");
    }

    @Test
    void whatWasTrainedIsEvaluatedAndContinued() throws IOException, InterruptedException {
        run(train(2, "--device", "cuda", "--save", "run"));
        String[] eval = {"eval", "tiny.model", "--resume", "run", "--data", "synthetic", "--batches", "2", "--json"};
        double onCpu = loss(here(eval));
        assertThat(loss(run(with(eval, "--device", "cuda")))).isCloseTo(onCpu, within(LOSS_ERROR * onCpu));

        String[] generate = {"generate", "tiny.model", "--resume", "run", "--prompt", "a prompt of 21 bytes,"};
        assertThat(run(with(generate, "--device", "cuda"))).isEqualTo(here(generate));
    }
}
