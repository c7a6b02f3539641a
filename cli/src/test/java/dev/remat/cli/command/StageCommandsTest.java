package dev.remat.cli.command;

import static dev.remat.cli.command.TinyModels.run;
import static dev.remat.cli.command.TinyModels.state;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code --stages} and {@code --schedule}. */
@Tag("slow")
class StageCommandsTest {
    @TempDir
    Path folder;

    private String tiny;

    @BeforeEach
    void write() throws IOException {
        tiny = TinyModels.text(folder);
    }

    /** Saved by one number of stages, gone on with by another. */
    @Test
    void checkpointsDoNotKnowOfStages() {
        String whole = state(run("train", tiny, "--micro-batches", "4", "--steps", "4"));
        String saved = folder.resolve("saved").toString();
        state(run("train", tiny, "--micro-batches", "4", "--stages", "2", "--steps", "2", "--save", saved));
        for (String[] other : new String[][] {{}, {"--stages", "3", "--schedule", "gpipe"}}) {
            String[] all = Stream.concat(Arrays.stream(other), Stream.of("--resume", saved, "--steps", "4"))
                    .toArray(String[]::new);
            assertThat(state(run("train", tiny, all))).isEqualTo(whole);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "plan,  --json",
        "plan,  '--chunks 4'",
        "train, '--chunks 4 --steps 1'",
        "train, '--ranks 2 --micro-batches 4 --steps 1'",
        "train, '--micro-batches auto --budget 1MiB --steps 1'",
        "train, '--eval-every 1 --steps 1'"
    })
    void whatDoesNotGoWithThemIsRefused(String command, String options) {
        String[] words = ("--stages 2 " + options).split(" ");
        CommandRun refused = run(command, tiny, words);
        assertThat(refused.exitCode()).as(refused.err()).isEqualTo(2);
        assertThat(refused.err()).contains("--stages");
    }

    @Test
    void blocksAndAutomaticChunksGoWithThem() {
        assertThat(run("plan", tiny, "--stages", "2", "--chunks", "auto").exitCode())
                .isZero();
        assertThat(run("plan", tiny, "--stages", "2", "--chunks", "off").exitCode())
                .isZero();
    }

    @Test
    void morePartsThanThereAreAreRefused() {
        CommandRun refused = run("plan", tiny, "--stages", "50", "--micro-batches", "4");
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("4 micro-batches are fewer than 50 stages", "parts at most");
    }

    @Test
    void whatEachStageNeedsIsTold() {
        CommandRun refused = run("plan", tiny, "--stages", "2", "--micro-batches", "4", "--budget", "1KiB");
        assertThat(refused.exitCode()).isEqualTo(4);
        assertThat(refused.err()).containsPattern("each stage needs at least, by number: [0-9.]+ KiB, [0-9.]+ KiB");
    }
}
