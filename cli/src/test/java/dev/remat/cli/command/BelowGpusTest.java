package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What may lie below the arena of a GPU, on machines without one. */
class BelowGpusTest {
    private static final String MODEL =
            Path.of("").toAbsolutePath().resolveSibling("samples/mlp.model").toString();
    private static final String SETTINGS = "B=8,features=6,width=8,depth=2,classes=3";
    private static final List<String> HOST = List.of("--host-budget", "1GiB", "--host-rates", "20GB/s:20GB/s:1us");

    @TempDir
    Path folder;

    private static CommandRun run(List<String> command, List<String> more) {
        List<String> words = new ArrayList<>(command);
        words.addAll(1, List.of(MODEL, "--set", SETTINGS));
        words.addAll(more);
        return CommandRun.of(words.toArray(String[]::new));
    }

    @Test
    void aDiskIsRefusedWhereverKernelsOfGpusRun() {
        List<List<String>> commands = List.of(
                List.of(
                        "build",
                        "--arch",
                        "sm_90a",
                        "-o",
                        folder.resolve("built").toString()),
                List.of("plan", "--target", "sm_90a"),
                List.of("train", "--data", "synthetic", "--steps", "1", "--device", "cuda"),
                List.of("check", "--device", "cuda"));
        for (List<String> command : commands) {
            CommandRun refused = run(command, List.of("--disk", folder.toString()));
            assertThat(refused.exitCode()).as(refused.err()).isEqualTo(2);
            assertThat(refused.err())
                    .contains("--disk cannot be had here: what a GPU copies beside its kernels goes to memory of the"
                            + " host; --host-budget SIZE lets tensors wait there");
        }
    }

    @Test
    void whatIsBuiltSaysWhatItTakesOfTheHost() {
        List<String> build = List.of(
                "build",
                "--arch",
                "sm_80",
                "--json",
                "-o",
                folder.resolve("built").toString());
        CommandRun still = run(build, List.of());
        assertThat(still.exitCode()).as(still.err()).isZero();
        assertThat(still.out()).doesNotContain("hostArenaBytes");
        List<String> moving = new ArrayList<>(HOST);
        moving.addAll(List.of("--offload", "activations"));
        CommandRun built = run(build, moving);
        assertThat(built.exitCode()).as(built.err()).isZero();
        assertThat(built.out()).containsPattern("\"hostArenaBytes\": ?[1-9]");
    }

    @Test
    void theHostHoldsWhatPlansForGpusMove() {
        CommandRun plan = run(List.of("plan", "--target", "sm_90a", "--offload", "activations", "--json"), HOST);
        assertThat(plan.exitCode()).as(plan.err()).isZero();
        assertThat(plan.out()).containsPattern("\"hostArenaBytes\": ?[1-9]");
    }
}
