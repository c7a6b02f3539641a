package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A model that learns which word follows which, by numbers that a tokenizer gives them. */
@Tag("slow")
class TokenizerCommandTest {
    @TempDir
    Path folder;

    private String tokenizer(String words) throws IOException {
        return Files.writeString(
                        folder.resolve("tokenizer.json"),
                        "{\"model\": {\"type\": \"WordLevel\", \"vocab\": " + words
                                + "}, \"pre_tokenizer\": {\"type\": \"WhitespaceSplit\"}, \"post_processor\":"
                                + " {\"type\": \"BertProcessing\", \"cls\": [\"three\", 3], \"sep\": [\"one\", 1]}}")
                .toString();
    }

    @Test
    void trainsEvaluatesAndGeneratesByTheSameTokens() throws IOException {
        String text = Files.writeString(folder.resolve("words.txt"), "one two three\n".repeat(200))
                .toString();
        String model = TinyModels.write(
                folder,
                "m.model",
                Files.readString(Path.of(TinyModels.text(folder))).replace("tokens", "input_ids"));
        String tokenizer = tokenizer("{\"one\": 1, \"two\": 2, \"three\": 3}");
        String run = folder.resolve("run").toString();
        CommandRun trained = CommandRun.of(
                "train",
                model,
                "--set",
                "B=16,T=8,drop=0",
                "--text",
                text,
                "--tokenizer",
                tokenizer,
                "--steps",
                "60",
                "--save",
                run);
        assertThat(trained.exitCode()).as(trained.err()).isZero();
        CommandRun held =
                CommandRun.of("eval", model, "--resume", run, "--text", text, "--tokenizer", tokenizer, "--json");
        assertThat(held.exitCode()).as(held.err()).isZero();
        // 60 of 600 words are held back, and windows of 8 take 9.
        assertThat(held.out()).contains("\"samples\": 7");
        CommandRun continued = CommandRun.of(
                "generate",
                model,
                "--resume",
                run,
                "--tokenizer",
                tokenizer,
                "--prompt",
                "one two",
                "--greedy",
                "--tokens",
                "5");
        assertThat(continued.exitCode()).as(continued.err()).isZero();
        assertThat(continued.out()).isEqualTo("one two three one two three one\n");
        // Nothing but what the template puts before a text.
        CommandRun alone = CommandRun.of(
                "generate",
                model,
                "--resume",
                run,
                "--tokenizer",
                tokenizer,
                "--prompt",
                "",
                "--greedy",
                "--tokens",
                "2",
                "--json");
        assertThat(alone.exitCode()).as(alone.err()).isZero();
        assertThat(alone.out()).contains("\"promptTokens\": 1", "\"text\": \"one two\"");
        CommandRun stopped = CommandRun.of(
                "generate",
                model,
                "--resume",
                run,
                "--tokenizer",
                tokenizer,
                "--prompt",
                "three",
                "--greedy",
                "--tokens",
                "9",
                "--stop",
                "three",
                "--json");
        assertThat(stopped.exitCode()).as(stopped.err()).isZero();
        assertThat(stopped.out())
                .contains("\"text\": \" one two\"", "\"ended\": true")
                .containsPattern("\"tokens\": \\[\\s*1,\\s*2\\s*]");
        CommandRun unknown = CommandRun.of(
                "generate", model, "--resume", run, "--tokenizer", tokenizer, "--prompt", "one", "--stop", "four");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.err()).contains("no token that is written 'four'");
        CommandRun other = CommandRun.of(
                "train",
                model,
                "--text",
                text,
                "--steps",
                "61",
                "--save",
                run,
                "--resume",
                run,
                "--tokenizer",
                tokenizer("{\"one\": 3, \"two\": 2, \"three\": 1}"));
        assertThat(other.exitCode()).isEqualTo(8);
        assertThat(other.err()).contains("data");
    }

    @Test
    void wordsWithoutTokensAndOtherDataAreRefused() throws IOException {
        String model = TinyModels.text(folder);
        String tokenizer = tokenizer("{\"one\": 1}");
        String text = Files.writeString(folder.resolve("words.txt"), "one two").toString();
        CommandRun unknown = CommandRun.of(
                "train", model, "--set", "B=1,T=1", "--text", text, "--tokenizer", tokenizer, "--steps", "1");
        assertThat(unknown.exitCode()).isEqualTo(8);
        assertThat(unknown.err()).contains(text, "no token for a part of 'two'");
        CommandRun apart = CommandRun.of(
                "train", model, "--set", "B=1,T=1", "--data", "synthetic", "--tokenizer", tokenizer, "--steps", "1");
        assertThat(apart.exitCode()).isEqualTo(2);
        assertThat(apart.err()).contains("--tokenizer is for");
    }
}
