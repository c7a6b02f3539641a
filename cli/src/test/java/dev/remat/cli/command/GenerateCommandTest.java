package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A model that sees one character at a time, trained on a text in which each has one successor but for the comma. */
@Tag("slow")
class GenerateCommandTest {
    @TempDir
    Path folder;

    private String model;
    private String run;

    @BeforeEach
    void train() throws IOException {
        model = TinyModels.text(folder);
        run = folder.resolve("run").toString();
        CommandRun trained = CommandRun.of(
                "train",
                model,
                "--set",
                "B=16,T=16,drop=0",
                "--text",
                TinyModels.data(folder),
                "--steps",
                "120",
                "--save",
                run);
        assertThat(trained.exitCode()).as(trained.err()).isZero();
    }

    private CommandRun generate(String prompt, String... more) {
        List<String> words = new ArrayList<>(List.of("generate", model, "--set", "T=40,drop=0", "--prompt", prompt));
        words.addAll(List.of(more));
        if (!words.contains("--init")) {
            words.addAll(List.of("--resume", run));
        }
        return CommandRun.of(words.toArray(String[]::new));
    }

    @Test
    void continuesWhatWasLearned() {
        CommandRun short16 = generate("abc", "--greedy", "--tokens", "9");
        assertThat(short16.exitCode()).as(short16.err()).isZero();
        assertThat(short16.out()).isEqualTo("abcdefgh, ab\n");
        // More than the shortest window, and more than the longest.
        assertThat(generate("abcdefgh, ", "--greedy", "--tokens", "70").out()).isEqualTo("abcdefgh, ".repeat(8) + "\n");
    }

    @Test
    void drawsBySeed() {
        String[] first = {"--temperature", "3", "--tokens", "60", "--seed", "1"};
        String[] second = {"--temperature", "3", "--tokens", "60", "--seed", "2"};
        CommandRun one = generate("abc", first);
        assertThat(one.exitCode()).as(one.err()).isZero();
        assertThat(generate("abc", first).out()).isEqualTo(one.out());
        assertThat(generate("abc", second).out()).isNotEqualTo(one.out());
    }

    @Test
    void oneCandidateAndNoHeatAreGreedy() {
        String greedy = generate("abc", "--greedy", "--tokens", "30").out();
        assertThat(generate("abc", "--temperature", "5", "--top-k", "1", "--tokens", "30")
                        .out())
                .isEqualTo(greedy);
        assertThat(generate("abc", "--temperature", "1e-9", "--tokens", "30").out())
                .isEqualTo(greedy);
        assertThat(generate("abc", "--temperature", "5", "--top-p", "1e-9", "--tokens", "30")
                        .out())
                .isEqualTo(greedy);
        assertThat(generate("abc", "--temperature", "5", "--tokens", "30").out())
                .isNotEqualTo(greedy);
    }

    @Test
    void reportsAsJson() {
        CommandRun json = generate("abc", "--greedy", "--tokens", "3", "--json");
        assertThat(json.out())
                .contains("\"schema\": \"remat-generate/1\"", "\"promptTokens\": 3", "\"text\": \"def\"")
                .containsPattern("\"tokens\": \\[\\s*100,\\s*101,\\s*102\\s*]");
    }

    /** Past both windows, of 16 and of 40. */
    @Test
    void keepingPositionsChangesNothing() {
        String[] words = {"--temperature", "2", "--tokens", "60", "--seed", "4", "--json"};
        CommandRun kept = generate("abc", words);
        List<String> all = new ArrayList<>(List.of(words));
        all.add("--whole-passes");
        CommandRun whole = generate("abc", all.toArray(String[]::new));
        assertThat(kept.out()).contains("\"wholePasses\": false");
        assertThat(whole.out()).contains("\"wholePasses\": true");
        assertThat(tokens(kept)).isEqualTo(tokens(whole)).contains(",");
    }

    private static String tokens(CommandRun run) {
        int begin = run.out().indexOf("\"tokens\"");
        return run.out().substring(begin, run.out().indexOf(']', begin));
    }

    @Test
    void aModelThatSeesTheFutureIsRefused() throws IOException {
        String text = Files.readString(Path.of(model));
        model = TinyModels.write(
                folder,
                "seeing.model",
                text.replace("loss = cross", "x = x + mean(x, axis = 1, keepdim = true)\n  loss = cross"));
        CommandRun.of(
                "train",
                model,
                "--set",
                "B=4,T=16",
                "--text",
                TinyModels.data(folder),
                "--steps",
                "1",
                "--save",
                run,
                "--overwrite");
        CommandRun refused = generate("abc", "--set", "drop=0.25");
        assertThat(refused.exitCode()).as(refused.err()).isEqualTo(8);
        assertThat(refused.err()).contains("not causal");
    }

    /** Room for tokens is made when they come: this ends at the first one, whose logits are not numbers. */
    @Test
    void takesAnyNumberOfTokens() throws IOException {
        for (String count : List.of("2147483647", "2147480000", "1")) {
            CommandRun stopped = generate("abc", "--tokens", count, "--init", notNumbers());
            assertThat(stopped.exitCode()).as(stopped.err()).isEqualTo(7);
            assertThat(stopped.err()).contains("the logits after 3 tokens are not numbers");
        }
    }

    private String notNumbers() throws IOException {
        Path file = folder.resolve("nan.safetensors");
        List<StoredTensor> tensors = new ArrayList<>();
        try (SafetensorsFile state = SafetensorsFile.open(Path.of(state()))) {
            for (StoredTensor tensor : state.tensors()) {
                byte[] ones = new byte[(int) tensor.data().byteSize()];
                Arrays.fill(ones, (byte) 0xff);
                tensors.add(
                        new StoredTensor(tensor.name(), tensor.type(), tensor.shape(), MemorySegment.ofArray(ones)));
            }
            SafetensorsWriter.write(file, Map.of(), tensors);
        }
        return file.toString();
    }

    @Test
    void readsAPromptFromAFileOnly() throws IOException, InterruptedException {
        Path prompt = Files.writeString(folder.resolve("prompt.txt"), "abc");
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        CommandRun read = continued(prompt);
        assertThat(read.exitCode()).as(read.err()).isZero();
        assertThat(read.out()).isEqualTo("abcde\n");
        assertThat(continued(folder).exitCode()).isEqualTo(2);
        assertThat(continued(folder).err()).contains("is a folder, not a file");
        assertThat(continued(pipe).exitCode()).isEqualTo(2);
        assertThat(continued(pipe).err()).contains("is a pipe, not a file");
    }

    private CommandRun continued(Path prompt) {
        return CommandRun.of(
                "generate", model, "--resume", run, "--greedy", "--tokens", "2", "--prompt-file", prompt.toString());
    }

    @Test
    void perplexityReadsTheLogitsOfTheLoss() throws IOException {
        String text = Files.readString(Path.of(model));
        String loss = "loss = cross_entropy(linear(x, 256) as out, targets)";
        model = TinyModels.write(folder, "reporting.model", text.replace(loss, """
            scores = linear(x, 256) as out
            loss = cross_entropy(scores, targets)
            confusion = perplexity(scores, targets)
            output confusion
            """));
        String[] words = {
            "generate", model, "--set", "T=16,drop=0", "--init", state(), "--prompt", "abc", "--greedy", "--tokens", "9"
        };
        CommandRun one = CommandRun.of(words);
        assertThat(one.exitCode()).as(one.err()).isZero();
        assertThat(one.out()).isEqualTo("abcdefgh, ab\n");
        words[1] = TinyModels.write(
                folder,
                "guessing.model",
                text.replace(loss, loss + " + cross_entropy(linear(x, 256) as next, targets)"));
        CommandRun two = CommandRun.of(words);
        assertThat(two.exitCode()).isEqualTo(2);
        assertThat(two.err()).contains("not one tensor that cross_entropy scores");
    }

    @Test
    void whatIsNoLanguageModelIsAUsageError() throws IOException {
        CommandRun other = CommandRun.of(
                "generate", TinyModels.measuring(folder), "--set", "B=2", "--init", state(), "--prompt", "a");
        assertThat(other.exitCode()).isEqualTo(2);
        assertThat(other.err()).contains("no input tokens or input_ids of integers [B, T]");
        assertThat(generate("").err()).contains("the prompt is empty");
        assertThat(generate("a", "--temperature", "-1").exitCode()).isEqualTo(2);
        assertThat(generate("a", "--top-p", "0").exitCode()).isEqualTo(2);
        assertThat(generate("a", "--logits", "nothing").exitCode()).isEqualTo(3);
        assertThat(generate("a", "--logits", "table.weight").err()).contains("[B, T, V]");
        assertThat(CommandRun.of("generate", model, "--init", state(), "--prompt", "a")
                        .err())
                .contains("symbol T needs a value");
    }

    private String state() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(run))) {
            return files.filter(file -> file.toString().endsWith(".safetensors"))
                    .findFirst()
                    .orElseThrow()
                    .toString();
        }
    }

    @Test
    void aCheckpointNeedsNoSettings() {
        CommandRun bare = CommandRun.of("generate", model, "--resume", run, "--prompt", "abc", "--greedy", "--json");
        assertThat(bare.exitCode()).as(bare.err()).isZero();
        assertThat(bare.out()).contains("\"window\": 16").contains("\"text\": \"defgh, abcdefgh");
        // What is set counts more than what was trained with, and is checked.
        assertThat(generate("abc", "--set", "T=40", "--greedy", "--json").out()).contains("\"window\": 40");
        CommandRun wider = generate("a", "--set", "width=16");
        assertThat(wider.exitCode()).isEqualTo(8);
        assertThat(wider.err()).contains("another model: width is 16, was 8");
    }

    @Test
    void aCheckpointOfAnotherModelIsRefusedBeforeItsSettingsCount() throws IOException {
        CommandRun other = CommandRun.of("generate", TinyModels.measuring(folder), "--resume", run, "--prompt", "a");
        assertThat(other.exitCode()).isEqualTo(8);
        assertThat(other.err()).contains("was trained with another model: the model has changed");
    }
}
