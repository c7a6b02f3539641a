package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.console.Console;
import dev.remat.runtime.checkpoint.Checkpoint;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What runs say of where they go on, and what makes them end before. */
class GoingOnTest {
    @TempDir
    Path folder;

    private Path run;
    private String model;
    private String text;

    @BeforeEach
    void prepare() throws IOException {
        run = folder.resolve("run");
        model = TinyModels.text(folder);
        text = TinyModels.data(folder);
    }

    private CommandRun train(String... more) {
        return CommandRun.of(with(List.of("train", model, "--set", "B=4,T=16", "--text", text, "--json"), more));
    }

    private static String[] with(List<String> asked, String... more) {
        List<String> all = new ArrayList<>(asked);
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    private long savedStep() throws IOException {
        try (Checkpoint checkpoint = Checkpoint.open(run)) {
            return checkpoint.meta().step();
        }
    }

    @Test
    void aResumedRunSaysWhereItGoesOn() {
        assertThat(train("--steps", "2", "--save", run.toString()).exitCode()).isZero();
        List<String> asked = List.of("train", model, "--set", "B=4,T=16", "--text", text, "--resume", run.toString());
        CommandRun on = CommandRun.of(with(asked, "--steps", "4"));
        assertThat(on.err()).isEqualTo("remat: goes on behind step 2 of " + run + "\n");
        assertThat(on.out()).contains("steps 3 to 4, loss ").doesNotContain("4 steps");
        for (String steps : List.of("1", "2")) {
            CommandRun none = CommandRun.of(with(asked, "--steps", steps));
            assertThat(none.exitCode()).isZero();
            assertThat(none.err())
                    .isEqualTo("remat: " + run + " has done step 2, and --steps asks for " + steps
                            + ": there is nothing left to train\n");
        }
    }

    /** A reader such as head that goes away, and a disk that is full. */
    @ParameterizedTest
    @CsvSource({"Broken pipe, 130", "No space left on device, 1"})
    void aRunThatNobodyReadsEndsAndIsSaved(String failure, int exitCode) throws IOException {
        OutputStream reader = new OutputStream() {
            private int lines;

            @Override
            public void write(int b) throws IOException {
                if (lines == 1) {
                    throw new IOException(failure);
                }
                lines += b == '\n' ? 1 : 0;
            }
        };
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int ended = RematCommand.run(
                new Console(reader, err, false, false),
                "train",
                model,
                "--set",
                "B=4,T=16",
                "--text",
                text,
                "--json",
                "--steps",
                "100000",
                "--save",
                run.toString());
        assertThat(ended).isEqualTo(exitCode);
        assertThat(savedStep()).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("standard output is read no more: interrupted after step 2; this goes on from there: remat ");
    }

    /** As a shell splits it; what begins a run does not begin it again. */
    @Test
    void theCommandThatGoesOnWorks() throws IOException, InterruptedException {
        run = folder.resolve("my run's");
        // A text whose later batches the model has no words for.
        Path file = Path.of(model);
        Files.writeString(file, Files.readString(file).replace("256", "128"));
        text = TinyModels.write(folder, "narrow.txt", "z".repeat(1000) + "\u00e9" + "z".repeat(999));
        String weights = folder.resolve("w.safetensors").toString();
        String first = folder.resolve("first").toString();
        assertThat(train("--steps", "1", "--save", first).exitCode()).isZero();
        assertThat(CommandRun.of("export", model, "--resume", first, "-o", weights)
                        .exitCode())
                .isZero();
        CommandRun stopped = train("--init=" + weights, "--steps", "100", "--overwrite", "--save", run.toString());
        assertThat(stopped.exitCode()).as(stopped.err()).isEqualTo(8);
        String line = stopped.err()
                .lines()
                .filter(each -> each.contains("goes on from there: remat "))
                .map(each -> each.substring(each.indexOf("remat train") + "remat ".length()))
                .findFirst()
                .orElseThrow();
        Process shell = new ProcessBuilder("sh", "-c", "printf '%s\\n' " + line).start();
        List<String> words = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(shell.waitFor()).isZero();
        assertThat(words).contains("--resume", run.toString()).doesNotContain("--overwrite", "--init=" + weights);
        CommandRun on = CommandRun.of(words.toArray(String[]::new));
        assertThat(on.exitCode()).isEqualTo(8);
        assertThat(on.err()).contains("goes on behind step " + savedStep() + " of " + run);
    }
}
