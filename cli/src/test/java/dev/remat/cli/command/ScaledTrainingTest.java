package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code train} says of steps whose gradients overflow. */
class ScaledTrainingTest {
    @TempDir
    Path folder;

    private CommandRun train(String settings, String... more) throws IOException {
        Path model = Path.of(TinyModels.text(folder));
        Files.writeString(model, Files.readString(model).replace("seed 3", "seed 3\n" + settings));
        List<String> args = new ArrayList<>(
                List.of("train", model.toString(), "--set", "B=4,T=16", "--text", TinyModels.data(folder)));
        args.addAll(List.of(more));
        return CommandRun.of(args.toArray(String[]::new));
    }

    private static final String LARGE = "precision f16; loss_scale dynamic(init_scale = 1e9)";

    @Test
    void linesTellWhichStepsWereSkipped() throws IOException {
        List<String> lines = train(LARGE, "--steps", "40").out().lines().toList();
        assertThat(lines.getFirst())
                .startsWith("step 1 ")
                .endsWith(", not updated: a gradient is not finite; the loss scale is 5.000e+08 now");
        assertThat(lines).anyMatch(line -> line.matches("\\d+ updates skipped because a gradient was not finite"));
        assertThat(train("precision f16; loss_scale 8", "--steps", "4").out()).doesNotContain("skipped", "not updated");
    }

    /** A scale that falls gets there some day; one that stays never does. */
    @Test
    void aFixedScaleThatOverflowsEachStepIsADivergedRun() throws IOException {
        CommandRun stuck = train("precision f16; loss_scale 1e9", "--steps", "3");
        assertThat(stuck.exitCode()).isEqualTo(7);
        assertThat(stuck.out()).contains("3 updates skipped because a gradient was not finite");
        assertThat(stuck.err()).contains("no step of this run has updated all parameters: at this loss_scale");
        for (String fine : List.of("precision f16; loss_scale 8", LARGE)) {
            CommandRun run = train(fine, "--steps", "3");
            assertThat(run.exitCode()).isZero();
            assertThat(run.err()).isEmpty();
        }
    }

    @Test
    void jsonTellsTheScale() throws IOException {
        List<String> lines =
                train(LARGE, "--steps", "2", "--json").out().lines().toList();
        assertThat(lines.get(0)).contains("\"skipped\":true,\"skippedSoFar\":1,\"lossScale\":5.0E8,");
        assertThat(lines.get(1)).contains("\"skipped\":true,\"skippedSoFar\":2,\"lossScale\":2.5E8,");
        List<String> fixed = train("precision f16; loss_scale 8", "--steps", "1", "--json")
                .out()
                .lines()
                .toList();
        assertThat(fixed.getFirst())
                .contains("\"skipped\":false,\"skippedSoFar\":0,")
                .doesNotContain("lossScale");
        assertThat(train("", "--steps", "1", "--json").out()).doesNotContain("skipped");
    }

    @Test
    void aResumedRunGoesOnWithTheScale() throws IOException {
        String run = folder.resolve("run").toString();
        String whole = last(train(LARGE, "--steps", "24", "--json"));
        assertThat(train(LARGE, "--steps", "3", "--save", run).exitCode()).isZero();
        assertThat(last(train(LARGE, "--steps", "24", "--json", "--resume", run)))
                .isEqualTo(whole);
    }

    private static String last(CommandRun run) {
        return run.out().lines().toList().getLast();
    }
}
