package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainCommandTest {
    private static final Pattern LOSS = Pattern.compile("\"loss\":([^,]+),");
    private static final Pattern HASH = Pattern.compile("\"stateHash\":\"([0-9a-f]{64})\"");

    @TempDir
    Path folder;

    private CommandRun train(String... more) throws IOException {
        List<String> args = new ArrayList<>(
                List.of("train", TinyModels.text(folder), "--set", "B=4,T=16", "--text", TinyModels.data(folder)));
        args.addAll(List.of(more));
        return CommandRun.of(args.toArray(String[]::new));
    }

    private static List<String> losses(CommandRun run) {
        return LOSS.matcher(run.out()).results().map(match -> match.group(1)).toList();
    }

    private static String hash(CommandRun run) {
        Matcher matcher = HASH.matcher(run.out());
        assertThat(matcher.find()).as(run.toString()).isTrue();
        return matcher.group(1);
    }

    @Test
    void learnsAndReportsEveryStep() throws IOException {
        CommandRun run = train("--steps", "30", "--json");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).isEmpty();
        List<String> lines = run.out().lines().toList();
        assertThat(lines).hasSize(31);
        assertThat(lines.getFirst()).startsWith("{\"step\":1,\"loss\":").contains("\"millis\":", "\"arenaBytes\":");
        assertThat(lines.getLast()).matches("\\{\"done\":true,\"steps\":30,\"stateHash\":\"[0-9a-f]{64}\"}");
        List<Double> losses = losses(run).stream().map(Double::valueOf).toList();
        assertThat(losses.getFirst()).isBetween(5.0, 6.5);
        assertThat(losses.getLast()).isLessThan(4.5);
    }

    @Test
    void usesTheWholeArenaAndNoMore() throws IOException {
        Pattern memory = Pattern.compile("\"arenaBytes\":(\\d+),\"highWaterBytes\":(\\d+)");
        List<String> lines = train("--steps", "2", "--json", "--strategy", "sqrt")
                .out()
                .lines()
                .toList();
        for (String line : lines.subList(0, 2)) {
            Matcher matcher = memory.matcher(line);
            assertThat(matcher.find()).isTrue();
            assertThat(matcher.group(2)).isEqualTo(matcher.group(1));
        }
    }

    @Test
    void bitsDoNotDependOnThePlan() throws IOException {
        CommandRun keepAll = train("--steps", "5", "--json", "--strategy", "keep-all");
        CommandRun segments = train("--steps", "5", "--json", "--strategy", "segments=3", "--poison");
        assertThat(losses(segments)).isEqualTo(losses(keepAll));
        assertThat(hash(segments)).isEqualTo(hash(keepAll));
        CommandRun otherSeed = train("--steps", "5", "--json", "--seed", "4");
        assertThat(hash(otherSeed)).isNotEqualTo(hash(keepAll));
    }

    @Test
    void resumesBitExactlyAlsoFromAnotherSeed() throws IOException {
        CommandRun whole = train("--steps", "20", "--json", "--seed", "9");
        String run = folder.resolve("run").toString();
        assertThat(train("--steps", "10", "--seed", "9", "--save", run).exitCode())
                .isZero();
        CommandRun rest = train("--steps", "20", "--json", "--resume", run, "--save", run);
        assertThat(losses(rest)).isEqualTo(losses(whole).subList(10, 20));
        assertThat(hash(rest)).isEqualTo(hash(whole));
        CommandRun nothingLeft = train("--steps", "20", "--json", "--resume", run);
        assertThat(nothingLeft.out().lines()).hasSize(1);
        assertThat(hash(nothingLeft)).isEqualTo(hash(whole));
    }

    @Test
    void refusesDamagedCheckpoints() throws IOException {
        Path run = folder.resolve("run");
        train("--steps", "1", "--save", run.toString());
        Files.writeString(run.resolve("meta.json"), "{}");
        CommandRun damaged = train("--steps", "2", "--resume", run.toString());
        assertThat(damaged.exitCode()).isEqualTo(8);
        assertThat(damaged.err()).contains("meta.json").doesNotContain("\tat ");
        CommandRun missing =
                train("--steps", "2", "--resume", folder.resolve("none").toString());
        assertThat(missing.exitCode()).isEqualTo(2);
        assertThat(missing.err()).contains("no such file");
    }

    @Test
    void evaluatesOnHeldBackData() throws IOException {
        CommandRun run = train("--steps", "4", "--json", "--eval-every", "2");
        assertThat(run.exitCode()).as(run.err()).isZero();
        List<String> lines = run.out().lines().toList();
        assertThat(lines.get(0)).doesNotContain("evalLoss");
        assertThat(lines.get(1)).contains("\"evalLoss\":");
        assertThat(hash(train("--steps", "4", "--json"))).isEqualTo(hash(run));
    }

    @Test
    void reportsEveryScalarOutput() throws IOException {
        String model = TinyModels.measuring(folder);
        String[] options = {"--set", "B=4", "--data", "synthetic", "--steps", "4", "--eval-every", "2"};
        CommandRun run = CommandRun.of(words("train", model, options, "--json"));
        assertThat(run.exitCode()).as(run.err()).isZero();
        List<String> lines = run.out().lines().toList();
        Pattern doubled =
                Pattern.compile("\"loss\":([^,]+),\"outputs\":\\{\"twice\":([^,]+),\"negated\":-([^,]+)},\"millis\"");
        Pattern held = Pattern.compile("\"evalLoss\":([^,]+),\"evalOutputs\":\\{\"twice\":([^,]+),");
        for (int step = 0; step < 4; step++) {
            Matcher numbers = doubled.matcher(lines.get(step));
            assertThat(numbers.find()).as(lines.get(step)).isTrue();
            float loss = Float.parseFloat(numbers.group(1));
            assertThat(Float.parseFloat(numbers.group(2))).isEqualTo(2 * loss);
            assertThat(Float.parseFloat(numbers.group(3))).isEqualTo(loss);
            Matcher evaluated = held.matcher(lines.get(step));
            assertThat(evaluated.find()).isEqualTo(step % 2 == 1);
            if (step % 2 == 1) {
                assertThat(Float.parseFloat(evaluated.group(2))).isEqualTo(2 * Float.parseFloat(evaluated.group(1)));
            }
        }
        CommandRun text = CommandRun.of(words("train", model, options));
        assertThat(text.out().lines().toList().get(1))
                .matches("step 2  loss \\S+  twice \\S+  negated -\\S+  \\S+ ms, held-back loss \\S+, twice \\S+,"
                        + " negated -\\S+");
        assertThat(train("--steps", "1", "--json").out()).doesNotContain("outputs");
    }

    private static String[] words(String command, String model, String[] options, String... more) {
        List<String> words = new ArrayList<>(List.of(command, model));
        words.addAll(List.of(options));
        words.addAll(List.of(more));
        return words.toArray(String[]::new);
    }

    @Test
    void printsLinesAndASummaryForPeople() throws IOException {
        CommandRun run = train("--steps", "3");
        assertThat(run.out().lines().toList().getFirst()).startsWith("step 1  loss ");
        assertThat(run.out()).contains("3 steps, loss", "arena ", "state ").doesNotContain("\r", "\u001b");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void stopsOnNaNWithTheLineThatMadeIt() throws IOException {
        Path run = folder.resolve("run");
        CommandRun stopped = CommandRun.of(
                "train", TinyModels.diverging(folder), "--data", "synthetic", "--steps", "3", "--save", run.toString());
        assertThat(stopped.exitCode()).isEqualTo(7);
        assertThat(stopped.err()).contains("diverging.model:7:", "NaN");
        assertThat(run).doesNotExist();
    }

    @Test
    void wrongOptionsAreUsageErrors() throws IOException {
        assertThat(train("--steps", "0").exitCode()).isEqualTo(2);
        assertThat(train().err()).contains("--steps");
        assertThat(train("--steps", "1", "--data", "synthetic").exitCode()).isEqualTo(2);
        assertThat(train("--steps", "1", "--save-every", "1").err()).contains("--save DIR");
        assertThat(train("--steps", "1", "--device", "tpu").exitCode()).isEqualTo(2);
        assertThat(train("--steps", "1", "--device", "cuda:999").exitCode()).isEqualTo(5);
        assertThat(train("--steps", "1", "--strategy", "sqr").err()).contains("sqrt");
        assertThat(CommandRun.of("train", TinyModels.text(folder), "--steps", "1", "--data", "synthetic")
                        .err())
                .contains("symbol B", "--set B=");
    }

    @Test
    void aPlaceThatTakesNoCheckpointIsRefusedBeforeTheFirstStep() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "mine");
        CommandRun run = train("--steps", "1", "--save", file.resolve("run").toString());
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).isEqualTo("remat: " + file + ": is a file, not a folder\n");
        assertThat(run.out()).isEmpty();
        assertThat(file).hasContent("mine");
    }

    @Test
    void unsuitableDataIsAnIncompatibleFile() throws IOException {
        CommandRun shortText = CommandRun.of(
                "train",
                TinyModels.text(folder),
                "--set",
                "B=4,T=16",
                "--steps",
                "1",
                "--text",
                TinyModels.write(folder, "short.txt", "abc"));
        assertThat(shortText.exitCode()).isEqualTo(8);
        assertThat(shortText.err()).contains("short.txt", "a window takes 17");
    }
}
