package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.cli.console.Console;
import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EvalCommandTest {
    private static final int SAMPLES = 23;
    private static final float[] WEIGHT = {1, -2, 0.5f};

    @TempDir
    Path folder;

    private static StoredTensor floats(String name, List<Long> shape, float... values) {
        return new StoredTensor(
                name, StoredType.F32, shape, Arena.ofAuto().allocateFrom(ValueLayout.JAVA_FLOAT, values));
    }

    private static float[] data() {
        float[] values = new float[3 * SAMPLES];
        for (int i = 0; i < values.length; i++) {
            values[i] = i % 7 - i % 5 + 0.25f * i;
        }
        return values;
    }

    /** Mean over a sample's three numbers of the squared difference to the weight. */
    private static double row(int sample) {
        double sum = 0;
        for (int i = 0; i < 3; i++) {
            double difference = data()[3 * sample + i] - WEIGHT[i];
            sum += difference * difference;
        }
        return sum / 3;
    }

    private static double mean(int from, int to) {
        double sum = 0;
        for (int sample = from; sample < to; sample++) {
            sum += row(sample);
        }
        return sum / (to - from);
    }

    private CommandRun eval(String model, String... more) throws IOException {
        Path weights = folder.resolve("weights.safetensors");
        Path samples = folder.resolve("data.safetensors");
        SafetensorsWriter.write(weights, Map.of(), List.of(floats("w", List.of(3L), WEIGHT)));
        SafetensorsWriter.write(samples, Map.of(), List.of(floats("x", List.of((long) SAMPLES, 3L), data())));
        List<String> words = new ArrayList<>(List.of("eval", model, "--data", samples.toString()));
        words.addAll(List.of(more));
        if (!words.contains("--resume")) {
            words.addAll(List.of("--init", weights.toString()));
        }
        return CommandRun.of(words.toArray(String[]::new));
    }

    private static double number(CommandRun run, String field) {
        Matcher matcher = Pattern.compile("\"" + field + "\" ?: ?([^,\\s}]+)").matcher(run.out());
        assertThat(matcher.find()).as(run.toString()).isTrue();
        return Double.parseDouble(matcher.group(1));
    }

    @Test
    void theLastBatchCountsAsItsSamplesDo() throws IOException {
        for (String batch : List.of("B=4", "B=23", "B=30", "B=1")) {
            CommandRun run = eval(TinyModels.measuring(folder), "--set", batch, "--all", "--json");
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).contains("\"schema\": \"remat-eval/1\"");
            assertThat(number(run, "samples")).isEqualTo(SAMPLES);
            assertThat(number(run, "loss")).isCloseTo(mean(0, SAMPLES), within(1e-4));
            assertThat(number(run, "twice")).isCloseTo(2 * mean(0, SAMPLES), within(2e-4));
        }
        CommandRun two = eval(TinyModels.measuring(folder), "--set", "B=4", "--all", "--batches", "2", "--json");
        assertThat(number(two, "batches")).isEqualTo(2);
        assertThat(number(two, "loss")).isCloseTo(mean(0, 8), within(1e-4));
    }

    @Test
    void theHeldBackTenthIsTheDefault() throws IOException {
        CommandRun run = eval(TinyModels.measuring(folder), "--set", "B=4", "--json");
        assertThat(number(run, "samples")).isEqualTo(2);
        assertThat(number(run, "loss")).isCloseTo(mean(21, 23), within(1e-4));
        CommandRun text = eval(TinyModels.measuring(folder), "--set", "B=4");
        assertThat(text.out().lines().toList().getFirst()).isEqualTo("Measuring on 2 samples in 1 batch");
        assertThat(text.out()).contains("  loss  ", "  twice  ", "  negated  ");
    }

    @Test
    void writesOutputsOfAllSamplesInTheirOrder() throws IOException {
        Path result = folder.resolve("out.safetensors");
        eval(TinyModels.measuring(folder), "--set", "B=4", "--all", "-o", result.toString());
        try (SafetensorsFile file = SafetensorsFile.open(result)) {
            StoredTensor rows = file.find("rows").orElseThrow();
            assertThat(rows.shape()).containsExactly((long) SAMPLES);
            for (int sample = 0; sample < SAMPLES; sample++) {
                float found = rows.data().get(ValueLayout.JAVA_FLOAT_UNALIGNED, sample * 4L);
                assertThat(found).isCloseTo((float) row(sample), within(1e-3f));
            }
            StoredTensor losses = file.find("loss").orElseThrow();
            assertThat(losses.shape()).containsExactly(6L);
            assertThat(losses.data().get(ValueLayout.JAVA_FLOAT_UNALIGNED, 20))
                    .isCloseTo((float) mean(20, 23), within(1e-3f));
        }
    }

    /** Batches of 4, 4, 4, 4, 4 and 3 samples make products of as many rows and columns. */
    @Test
    void leavesOutWhatHasSeveralAxesOfSamples() throws IOException {
        String text = Files.readString(Path.of(TinyModels.measuring(folder)));
        String model = TinyModels.write(
                folder,
                "all.model",
                text.replace("  output ", "  pairs = matmul(x, transpose(x, 0, 1))\n  output pairs, "));
        Path result = folder.resolve("out.safetensors");
        CommandRun run = eval(model, "--set", "B=4", "--all", "-o", result.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).contains("the output pairs has several axes of samples and is not written");
        try (SafetensorsFile file = SafetensorsFile.open(result)) {
            assertThat(file.find("pairs")).isEmpty();
            assertThat(file.find("rows").orElseThrow().shape()).containsExactly((long) SAMPLES);
        }
    }

    @Test
    void saysWhichDataIsMissingOrOfNoKnownKind() throws IOException {
        String model = TinyModels.measuring(folder);
        String none = folder.resolve("photo").toString();
        for (String[] more : new String[][] {{}, {"--resize"}, {"--range", "x=0..1"}}) {
            List<String> words = new ArrayList<>(List.of("eval", model, "--init", "w", "--data", none));
            words.addAll(List.of(more));
            CommandRun run = CommandRun.of(words.toArray(String[]::new));
            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err()).isEqualTo("remat: " + none + ": no such file or directory\n");
        }
        CommandRun kind = CommandRun.of("eval", model, "--init", "w", "--data", model);
        assertThat(kind.exitCode()).isEqualTo(8);
        assertThat(kind.err()).contains("is neither .safetensors nor .npy nor .csv");
        for (String name : List.of("", " ")) {
            CommandRun empty = CommandRun.of("eval", model, "--init", "w", "--data", name);
            assertThat(empty.exitCode()).isEqualTo(2);
            assertThat(empty.err()).contains("the name of a file or folder is not empty");
        }
    }

    @Test
    void aBatchThatTheModelFixesLeavesOutWhatFillsNone() throws IOException {
        String text = Files.readString(Path.of(TinyModels.measuring(folder)));
        String fixed = TinyModels.write(
                folder, "fixed.model", text.replace("  symbol B\n", "").replace("[B, 3]", "[5, 3]"));
        CommandRun run = eval(fixed, "--all", "--json");
        assertThat(number(run, "samples")).isEqualTo(20);
        assertThat(number(run, "leftOut")).isEqualTo(3);
        assertThat(number(run, "loss")).isCloseTo(mean(0, 20), within(1e-4));
        assertThat(run.err()).contains("the last 3 samples fill no batch of 5");
        CommandRun none = eval(fixed);
        assertThat(none.exitCode()).isEqualTo(8);
        assertThat(none.err()).contains("5 samples at once, and there are 2");
    }

    @Test
    void aCheckpointGivesWhatTrainingMeasured() throws IOException {
        String model = TinyModels.text(folder);
        String text = TinyModels.data(folder);
        String run = folder.resolve("run").toString();
        CommandRun trained = CommandRun.of(
                "train",
                model,
                "--set",
                "B=6,T=11",
                "--text",
                text,
                "--steps",
                "3",
                "--save",
                run,
                "--eval-every",
                "3",
                "--json");
        CommandRun found = CommandRun.of("eval", model, "--set", "B=6,T=11", "--text", text, "--resume", run, "--json");
        assertThat(found.exitCode()).as(found.err()).isZero();
        // 199 bytes held back hold 18 windows of 11: for both three batches of 6.
        assertThat(number(found, "samples")).isEqualTo(18);
        assertThat(number(found, "loss")).isCloseTo(number(trained, "evalLoss"), within(1e-6));
        CommandRun bare = CommandRun.of("eval", model, "--text", text, "--resume", run, "--json");
        assertThat(bare.exitCode()).as(bare.err()).isZero();
        assertThat(number(bare, "samples")).isEqualTo(18);
        assertThat(number(bare, "batches")).isEqualTo(3);
        assertThat(number(bare, "loss")).isEqualTo(number(found, "loss"));
        CommandRun four = CommandRun.of("eval", model, "--set", "B=4", "--text", text, "--resume", run, "--json");
        assertThat(number(four, "batches")).isEqualTo(5);
        assertThat(number(four, "loss")).isCloseTo(number(found, "loss"), within(2e-6));
        CommandRun other =
                CommandRun.of("eval", model, "--set", "B=6,T=11,width=16", "--text", text, "--resume", run, "--json");
        assertThat(other.exitCode()).isEqualTo(8);
        assertThat(other.err()).contains("another model");
    }

    /** The latents of an evaluation are drawn by the run's seed, and its products have the run's precision. */
    @Test
    void aCheckpointGivesPrecisionAndSeed() throws IOException {
        String text = Files.readString(Path.of(TinyModels.measuring(folder)));
        String model =
                TinyModels.write(folder, "drawn.model", text.replace("(x - w) * (x - w)", "(x - w) * randn_like(x)"));
        Path samples = folder.resolve("samples.safetensors");
        SafetensorsWriter.write(samples, Map.of(), List.of(floats("x", List.of((long) SAMPLES, 3L), data())));
        String run = folder.resolve("run").toString();
        String[] train = {
            "train",
            model,
            "--set",
            "B=4",
            "--data",
            samples.toString(),
            "--steps",
            "1",
            "--save",
            run,
            "--precision",
            "bf16",
            "--seed",
            "5"
        };
        assertThat(CommandRun.of(train).exitCode()).isZero();
        double bare = number(eval(model, "--resume", run, "--json"), "loss");
        assertThat(number(eval(model, "--resume", run, "--precision", "bf16", "--json"), "loss"))
                .isEqualTo(bare);
        assertThat(number(eval(model, "--resume", run, "--precision", "f32", "--json"), "loss"))
                .isNotEqualTo(bare);
        String seeded = TinyModels.write(
                folder,
                "seeded.model",
                Files.readString(Path.of(model)).replace("minimize loss", "minimize loss\n  seed 5"));
        String[] same = {"--set", "B=4", "--json"};
        assertThat(number(eval(seeded, same), "loss")).isNotEqualTo(number(eval(model, same), "loss"));
        assertThat(number(eval(seeded, "--resume", run, "--json"), "loss")).isEqualTo(bare);
        String unknown = Files.readString(Path.of(run, "meta.json")).replace("\"bf16\"", "\"bf1\"");
        Files.writeString(Path.of(run, "meta.json"), unknown);
        CommandRun refused = eval(model, "--resume", run);
        assertThat(refused.exitCode()).isEqualTo(8);
        assertThat(refused.err()).contains("has an unknown precision bf1");
    }

    /** Samples are taken by twos, so that 3 at the end are none the model takes; nothing else is lost. */
    @Test
    void aRestThatTheModelRefusesIsLeftOut() throws IOException {
        String text = Files.readString(Path.of(TinyModels.measuring(folder)));
        String model = TinyModels.write(
                folder, "pairs.model", text.replace("  twice =", "  pairs = reshape(x, [B / 2, 6])\n  twice ="));
        CommandRun run = eval(model, "--set", "B=4", "--all", "--json");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(number(run, "samples")).isEqualTo(20);
        assertThat(number(run, "leftOut")).isEqualTo(3);
        assertThat(number(run, "loss")).isCloseTo(mean(0, 20), within(1e-4));
        assertThat(run.err()).contains("the last 3 samples fill no batch of 4, and the model takes no fewer");
    }

    /** What is drawn on a terminal is wiped before anything else is said there. */
    @Test
    void wipesItsProgress() throws IOException {
        eval(TinyModels.measuring(folder), "--set", "B=4");
        ByteArrayOutputStream screen = new ByteArrayOutputStream();
        RematCommand.run(
                new Console(screen, screen, false, true),
                "eval",
                TinyModels.measuring(folder),
                "--set",
                "B=4",
                "--data",
                folder.resolve("data.safetensors").toString(),
                "--init",
                folder.resolve("weights.safetensors").toString());
        String shown = screen.toString(StandardCharsets.UTF_8);
        assertThat(shown).contains("compiling …", "batch 1 …", "\r\u001b[KMeasuring on 2 samples");
    }

    @Test
    void aUniformModelIsAsUnsureAsThereAreBytes() throws IOException {
        String model = TinyModels.text(folder);
        String run = folder.resolve("run").toString();
        CommandRun.of(
                "train", model, "--set", "B=4,T=16", "--text", TinyModels.data(folder), "--steps", "1", "--save", run);
        Path zeros = folder.resolve("zeros.safetensors");
        List<StoredTensor> parameters = new ArrayList<>();
        try (SafetensorsFile state = SafetensorsFile.open(stateOf(Path.of(run)))) {
            for (StoredTensor tensor : state.tensors()) {
                parameters.add(new StoredTensor(
                        tensor.name(),
                        tensor.type(),
                        tensor.shape(),
                        MemorySegment.ofArray(new byte[(int) tensor.data().byteSize()])));
            }
            SafetensorsWriter.write(zeros, Map.of(), parameters);
        }
        CommandRun uniform = CommandRun.of(
                "eval",
                model,
                "--set",
                "B=4,T=16",
                "--text",
                TinyModels.data(folder),
                "--init",
                zeros.toString(),
                "--json");
        assertThat(Math.exp(number(uniform, "loss"))).isCloseTo(256, within(1e-3));
    }

    private static Path stateOf(Path run) throws IOException {
        try (var files = Files.list(run)) {
            return files.filter(file -> file.toString().endsWith(".safetensors"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void namesDataThatNothingReads() throws IOException {
        assertThat(eval(TinyModels.measuring(folder), "--set", "B=4").err()).isEmpty();
        Path more = folder.resolve("more.safetensors");
        SafetensorsWriter.write(
                more,
                Map.of(),
                List.of(
                        floats("x", List.of((long) SAMPLES, 3L), data()),
                        floats("X", List.of(1L), 0),
                        floats("y", List.of(1L), 0)));
        CommandRun run = CommandRun.of(
                "train", TinyModels.measuring(folder), "--set", "B=4", "--data", more.toString(), "--steps", "1");
        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEqualTo("remat: no input of the model reads X, y of the data\n");
    }

    @Test
    void saysWhatIsMissing() throws IOException {
        CommandRun lacking = CommandRun.of(
                "eval",
                TinyModels.text(folder),
                "--set",
                "B=4,T=16",
                "--text",
                TinyModels.data(folder),
                "--init",
                weights("w"));
        assertThat(lacking.exitCode()).isEqualTo(8);
        assertThat(lacking.err()).contains("lacks ");
        assertThat(eval(TinyModels.measuring(folder), "--set", "B=4", "--batches", "0")
                        .exitCode())
                .isEqualTo(2);
        CommandRun source =
                CommandRun.of("eval", TinyModels.text(folder), "--set", "B=4,T=16", "--text", TinyModels.data(folder));
        assertThat(source.exitCode()).isEqualTo(2);
        assertThat(source.err()).contains("--resume", "--init");
    }

    private String weights(String name) throws IOException {
        Path file = folder.resolve("other.safetensors");
        SafetensorsWriter.write(file, Map.of(), List.of(floats(name, List.of(3L), WEIGHT)));
        return file.toString();
    }
}
