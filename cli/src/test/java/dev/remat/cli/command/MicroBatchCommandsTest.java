package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code --micro-batches M} and {@code --batch-norm}, by every command that takes them. */
@Tag("slow")
class MicroBatchCommandsTest {
    private static final String NORMALIZING = """
        remat 1

        model Normalizing {
          symbol B
          input x: f32[B, 4]
          h = linear(x, 4)
          loss = mean(batch_norm(h) ** 2) + mean(layer_norm(h) ** 2)
        }

        train { minimize loss; optimizer sgd(lr = 0.1) }
        """;

    @TempDir
    Path folder;

    private String tiny;
    private String normalizing;

    @BeforeEach
    void write() throws IOException {
        tiny = TinyModels.text(folder);
        normalizing = Files.writeString(folder.resolve("normalizing.model"), NORMALIZING)
                .toString();
    }

    private CommandRun run(String command, String model, String settings, String... more) {
        List<String> args = new ArrayList<>(List.of(command, model, "--set", settings));
        args.addAll(List.of(more));
        return CommandRun.of(args.toArray(String[]::new));
    }

    private Map<String, String> plan(String... more) throws IOException {
        List<String> args = new ArrayList<>(List.of(more));
        args.add("--json");
        CommandRun run = run("plan", tiny, "B=8,T=16", args.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return JsonFields.of(run.out());
    }

    @Test
    void aPlanThatIsCutTakesLess() throws IOException {
        Map<String, String> whole = plan("--micro-batches", "1");
        Map<String, String> cut = plan("--micro-batches", "4");
        assertThat(cut).containsEntry("microBatches", "4").containsEntry("symbols.B", "8");
        assertThat(whole).doesNotContainKey("microBatches").containsEntry("planHash", plan().get("planHash"));
        assertThat(Long.parseLong(cut.get("memory.arenaBytes")))
                .isLessThan(Long.parseLong(whole.get("memory.arenaBytes")));
    }

    @Test
    void theOptionCountsMoreThanTheModel() throws IOException {
        String text = Files.readString(Path.of(tiny));
        Files.writeString(Path.of(tiny), text.replace("minimize loss", "minimize loss; micro_batches 2 * B / 8"));
        assertThat(plan()).containsEntry("microBatches", "2");
        assertThat(plan("--micro-batches", "4")).containsEntry("microBatches", "4");
        assertThat(plan("--micro-batches", "1")).doesNotContainKey("microBatches");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"explain --peak", "sweep --strategies sqrt --budgets 95%", "profile --repeat 1 --warm-up 0"})
    void everyViewOfAStepTakesTheNumber(String call) {
        List<String> args = new ArrayList<>(List.of(call.split(" ")));
        String command = args.removeFirst();
        args.addAll(List.of("--micro-batches", "3"));
        CommandRun odd = run(command, tiny, "B=8,T=16", args.toArray(String[]::new));
        assertThat(odd.exitCode()).as(odd.err()).isEqualTo(3);
        assertThat(odd.err()).contains("error[E0503]", "2 and 4 divide the rows");
        args.set(args.size() - 1, "2");
        CommandRun even = run(command, tiny, "B=8,T=16", args.toArray(String[]::new));
        assertThat(even.exitCode()).as(even.err()).isZero();
        args.addAll(List.of("--micro-batch-order", "breadth"));
        CommandRun byLayers = run(command, tiny, "B=8,T=16", args.toArray(String[]::new));
        assertThat(byLayers.exitCode()).as(byLayers.err()).isZero();
    }

    @Test
    void whatGoesLayerByLayerLearnsTheSame() throws IOException {
        Path text = Files.writeString(folder.resolve("text.txt"), "what is cut is put together again ".repeat(40));
        Map<String, String> hashes = new TreeMap<>();
        for (String order : List.of("depth", "breadth")) {
            String[] train = {
                "--text", text.toString(), "--steps", "2", "--micro-batches", "4", "--micro-batch-order", order
            };
            CommandRun run = run("train", tiny, "B=8,T=16", train);
            assertThat(run.exitCode()).as(run.err()).isZero();
            hashes.put(order, run.out().substring(run.out().lastIndexOf("state")));
        }
        assertThat(hashes.get("breadth")).matches("state [0-9a-f]{64}\n").isEqualTo(hashes.get("depth"));
        Map<String, String> planned = plan("--micro-batches", "4", "--micro-batch-order", "breadth");
        assertThat(planned).containsEntry("microBatches", "4").containsEntry("microBatchOrder", "breadth");
        assertThat(plan("--micro-batches", "4")).doesNotContainKey("microBatchOrder");
        assertThat(run("plan", tiny, "B=8,T=16", "--micro-batches", "4", "--micro-batch-order", "breadth")
                        .out())
                .contains("in 4 micro-batches of 2 rows, layer by layer");
    }

    @Test
    void anOrderIsOfABatchThatIsCut() {
        CommandRun whole = run("plan", tiny, "B=8,T=16", "--micro-batch-order", "breadth");
        assertThat(whole.exitCode()).isEqualTo(2);
        assertThat(whole.err())
                .contains("--micro-batch-order breadth needs a batch that is cut; --micro-batches M cuts it");
        assertThat(run("plan", tiny, "B=8,T=16", "--micro-batch-order", "depth").exitCode())
                .isZero();
    }

    @Test
    void aDifferenceIsOfPlansThatAreCutAlike() {
        CommandRun run =
                CommandRun.of("diff", tiny, tiny + "@sqrt", "--set", "B=8,T=16", "--micro-batches", "4", "--json");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).containsPattern("(?s)\"microBatches\": 4.*\"microBatches\": 4");
    }

    @Test
    void batchNormsAreRefusedOnRequestAlone() {
        CommandRun told = run("plan", normalizing, "B=8", "--micro-batches", "4");
        assertThat(told.exitCode()).as(told.err()).isZero();
        assertThat(told.out()).containsPattern("batch norm +2 rows +at a time, of each micro-batch by itself");
        assertThat(run("plan", normalizing, "B=8", "--micro-batches", "4", "--json")
                        .out())
                .contains("\"batchNormRows\": 2");
        assertThat(run("plan", normalizing, "B=8", "--batch-norm", "error").exitCode())
                .isZero();
        assertThat(run("plan", normalizing, "B=8").out()).doesNotContain("batch norm");
        assertThat(run("plan", tiny, "B=8,T=16", "--micro-batches", "4", "--batch-norm", "error")
                        .exitCode())
                .isZero();

        CommandRun refused = run("plan", normalizing, "B=8", "--micro-batches", "4", "--batch-norm", "error");
        assertThat(refused.exitCode()).isEqualTo(3);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.err())
                .contains("normalizing.model:7:15: error[E0504]", "4 micro-batches of 2 rows", "all B = 8 rows")
                .contains("remat help error E0504");
    }

    @Test
    void whatIsCutIsTrainedAndRemembered() throws IOException {
        Path saved = folder.resolve("run");
        Path text = Files.writeString(folder.resolve("text.txt"), "what is cut is put together again ".repeat(40));
        CommandRun run = run(
                "train",
                tiny,
                "B=8,T=16",
                "--text",
                text.toString(),
                "--steps",
                "2",
                "--micro-batches",
                "4",
                "--save",
                saved.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(saved.resolve("meta.json")).content().contains("\"micro_batches\" : \"4\"");
    }

    @Test
    void anArtifactIsCutWhenItIsBuilt() throws IOException {
        Path artifact = folder.resolve("artifact");
        CommandRun built =
                run("build", tiny, "B=8,T=16", "--arch", "sm_90a", "-o", artifact.toString(), "--micro-batches", "2");
        assertThat(built.exitCode()).as(built.err()).isZero();
        CommandRun seen = CommandRun.of("explain", artifact.toString(), "--peak");
        assertThat(seen.out()).as(seen.err()).contains("B=8, T=16 in 2 micro-batches");
        CommandRun inspected = CommandRun.of("inspect", artifact.toString());
        assertThat(inspected.out())
                .as(inspected.err())
                .containsPattern("micro-batches +2 +a step, one after another")
                .containsPattern("micro-batch, 2 times +[0-9]+ +launches")
                .containsPattern("update, once +[0-9]+ +launches");
        assertThat(CommandRun.of("inspect", artifact.toString(), "--json").out())
                .contains("\"microBatches\": 2")
                .containsPattern("\"sections\": \\[\\s*\\{\\s*\"name\": \"count\",\\s*\"from\": 0,");
        for (List<String> option : List.of(List.of("--micro-batches", "2"), List.of("--batch-norm", "error"))) {
            CommandRun refused =
                    CommandRun.of("explain", artifact.toString(), "--peak", option.getFirst(), option.getLast());
            assertThat(refused.exitCode()).isEqualTo(2);
            assertThat(refused.err()).contains(option.getFirst() + " needs a model file");
        }
    }

    @Test
    void autoCutsWhereThatIsFasterThanRecomputing() throws IOException {
        Map<String, String> whole = plan();
        long most = Long.parseLong(whole.get("memory.arenaBytes"));
        Map<String, String> roomy = plan("--micro-batches", "auto", "--budget", String.valueOf(most));
        assertThat(roomy)
                .doesNotContainKey("microBatches")
                .containsEntry("planHash", whole.get("planHash"))
                .containsKey("microBatchAlternatives.verdict");
        CommandRun narrow = run("plan", tiny, "B=8,T=16", "--micro-batches", "auto", "--budget", "45%");
        assertThat(narrow.exitCode()).as(narrow.err()).isZero();
        assertThat(narrow.out())
                .containsPattern("B=8, T=16 in [248] micro-batches")
                .contains("Micro-batches within ", "by quick searches", " m  rows ", "one step  recomputed")
                .containsPattern("\\n +[248] +[124] .* taken\\n");
        assertThat(narrow.err()).isEmpty();
    }

    @Test
    void autoKnowsWhatItCannotDo() {
        CommandRun open = run("plan", tiny, "B=8,T=16", "--micro-batches", "auto");
        assertThat(open.exitCode()).isZero();
        assertThat(open.err()).isEqualTo("remat: without --budget, --micro-batches auto leaves the batch whole\n");
        CommandRun none = run("plan", tiny, "B=8,T=16", "--micro-batches", "auto", "--budget", "9KB");
        assertThat(none.exitCode()).isEqualTo(4);
        assertThat(none.err()).contains("found no number of micro-batches that fits; ", "no plan fits 9000 bytes");
        CommandRun norms =
                run("plan", normalizing, "B=8", "--micro-batches", "auto", "--budget", "1KB", "--batch-norm", "error");
        assertThat(norms.exitCode()).isEqualTo(4);
        assertThat(norms.err()).contains("the batch cannot be cut further: ", "normalizing.model:7:15: error[E0504]");
    }

    @Test
    void whatAutoChoseIsTrainedAndRemembered() throws IOException {
        Path saved = folder.resolve("run");
        Path text = Files.writeString(folder.resolve("text.txt"), "what is cut is put together again ".repeat(40));
        CommandRun run = run(
                "train",
                tiny,
                "B=8,T=16",
                "--text",
                text.toString(),
                "--steps",
                "1",
                "--micro-batches",
                "auto",
                "--budget",
                "45%",
                "--save",
                saved.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(saved.resolve("meta.json")).content().containsPattern("\"micro_batches\" : \"[248]\"");
    }

    @Test
    void anArtifactKeepsWhatAutoChose() {
        Path artifact = folder.resolve("artifact");
        CommandRun built = run(
                "build",
                tiny,
                "B=32,T=16",
                "--arch",
                "sm_90a",
                "-o",
                artifact.toString(),
                "--micro-batches",
                "auto",
                "--budget",
                "65%");
        assertThat(built.exitCode()).as(built.err()).isZero();
        CommandRun seen = CommandRun.of("explain", artifact.toString(), "--peak");
        assertThat(seen.out()).as(seen.err()).containsPattern("B=32, T=16 in [248] micro-batches");
    }

    @ParameterizedTest
    @CsvSource({"sweep,", "diff,@sqrt"})
    void aNumberIsChosenForOneBudgetAlone(String command, String other) {
        List<String> args = new ArrayList<>(List.of(command, tiny));
        if (other != null) {
            args.add(tiny + other);
        }
        args.addAll(List.of("--set", "B=8,T=16", "--micro-batches", "auto"));
        CommandRun run = CommandRun.of(args.toArray(String[]::new));
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--micro-batches takes a number here, not auto");
    }
}
