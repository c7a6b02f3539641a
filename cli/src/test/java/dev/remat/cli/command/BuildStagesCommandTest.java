package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code build --stages}. */
@Tag("slow")
class BuildStagesCommandTest {
    @TempDir
    Path folder;

    private String tiny;

    @BeforeEach
    void write() throws IOException {
        tiny = TinyModels.text(folder);
    }

    private CommandRun build(Path output, String options) {
        return TinyModels.run(
                "build",
                tiny,
                Stream.concat(Stream.of("-o", output.toString(), "--arch", "sm_90a"), Stream.of(options.split(" ")))
                        .toArray(String[]::new));
    }

    @Test
    void eachStageIsAnArtifactThatTellsItsMessages() throws IOException {
        Path output = folder.resolve("built");
        CommandRun run = build(output, "--stages 2 --micro-batches 4 --c-abi");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .containsSubsequence("stage 0 of ", "planned for", "stage 1 of ", "planned for")
                .contains("2 stages built in " + output);
        String first = Files.readString(output.resolve("stage-0/stage.json"));
        String second = Files.readString(output.resolve("stage-1/stage.json"));
        assertThat(first).containsPattern("\"stage\"\\s*:\\s*0").containsPattern("\"microBatches\"\\s*:\\s*4");
        assertThat(second).containsPattern("\"stage\"\\s*:\\s*1");
        assertThat(values(first, "\"set\"\\s*:\\s*\"([0-9a-f]{64})\""))
                .hasSize(1)
                .isEqualTo(values(second, "\"set\"\\s*:\\s*\"([0-9a-f]{64})\""));
        // Each message is sent by one and taken by the other, as many bytes.
        String sent = "\"to\"\\s*:\\s*\\d+,\\s*(\"number\"\\s*:\\s*\\d+)";
        String taken = "\"from\"\\s*:\\s*\\d+,\\s*(\"number\"\\s*:\\s*\\d+)";
        assertThat(values(first, sent)).isNotEmpty().containsExactlyInAnyOrderElementsOf(values(second, taken));
        assertThat(values(second, sent)).isNotEmpty().containsExactlyInAnyOrderElementsOf(values(first, taken));
        assertThat(values(first, "(\"sm_90a\")"))
                .hasSize(values(first, "(\"kind\")").size());
        assertThat(CommandRun.of("inspect", output.resolve("stage-0").toString())
                        .exitCode())
                .isZero();
        CommandRun train = CommandRun.of(
                "train",
                output.resolve("stage-0").toString(),
                "--device",
                "cuda",
                "--data",
                "synthetic",
                "--steps",
                "1");
        assertThat(train.exitCode()).as(train.err()).isEqualTo(2);
        assertThat(train.err()).contains("is one of several stages, which run side by side by their C ABI");
    }

    private static List<String> values(String text, String pattern) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    @Test
    void whatDoesNotGoWithThemIsRefused() throws IOException {
        refused("--stages 2 --micro-batches 4", "--stages needs --c-abi");
        refused("--stages 2 --micro-batches 4 --c-abi --gradients", "--gradients does not go with --stages");
        refused("--stages 2 --micro-batches 4 --c-abi --host-budget 1MiB", "--host-budget does not go with --stages");
        refused("--stages 2 --micro-batches 4 --c-abi --chunks 2", "--chunks N does not go with --stages");
        refused("--schedule zb", "--schedule orders the work of stages; it needs --stages");
        Files.createDirectories(folder.resolve("out/stage-2"));
        refused("--stages 2 --micro-batches 4 --c-abi", "is of a step in more stages");
    }

    private void refused(String options, String why) {
        CommandRun run = build(folder.resolve("out"), options);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
        assertThat(run.err()).contains(why);
    }
}
