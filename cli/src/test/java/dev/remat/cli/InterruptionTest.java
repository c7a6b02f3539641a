package dev.remat.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.remat.cli.command.TinyModels;
import dev.remat.runtime.checkpoint.Checkpoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a training process. SIGTERM stands for Ctrl-C, which the same hook serves, because build servers may start
 * processes that ignore SIGINT.
 */
@Tag("slow")
class InterruptionTest {
    private static final int TERMINATED = 128 + 15;

    @TempDir
    Path folder;

    private Process train(String... more) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.remat.cli.Main",
                "train",
                TinyModels.text(folder),
                "--set",
                "B=4,T=16",
                "--text",
                TinyModels.data(folder),
                "--steps",
                "1000000",
                "--json"));
        command.addAll(List.of(more));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Reads three steps, kills, and returns the last line. */
    private static String killAfterThreeSteps(Process process) throws IOException, InterruptedException {
        try (BufferedReader lines = process.inputReader()) {
            for (int i = 0; i < 3; i++) {
                assertThat(lines.readLine()).startsWith("{\"step\":");
            }
            process.toHandle().destroy();
            String last = "";
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                last = line;
            }
            assertThat(process.waitFor()).isEqualTo(TERMINATED);
            return last;
        }
    }

    @Test
    void savesBeforeItEnds() throws IOException, InterruptedException {
        Path run = folder.resolve("run");
        String last = killAfterThreeSteps(train("--save", run.toString()));
        try (Checkpoint checkpoint = Checkpoint.open(run)) {
            assertThat(checkpoint.meta().step()).isGreaterThanOrEqualTo(3);
            assertThat(last)
                    .startsWith("{\"done\":false,\"steps\":" + checkpoint.meta().step() + ",");
        }
    }

    @Test
    void savesNothingUnasked() throws IOException, InterruptedException {
        assertThat(killAfterThreeSteps(train())).startsWith("{\"done\":false,\"steps\":");
        assertThat(folder.resolve("run")).doesNotExist();
    }

    /** What was loaded lies in the arena; the file would count as memory of the process, too. */
    @Test
    void aResumedRunHasLetGoOfTheFileThatItWentOnFrom() throws IOException, InterruptedException {
        Path run = folder.resolve("run");
        killAfterThreeSteps(train("--save", run.toString()));
        Process resumed = train("--resume", run.toString());
        try (BufferedReader lines = resumed.inputReader()) {
            assertThat(lines.readLine()).startsWith("{\"step\":");
            Path maps = Path.of("/proc/" + resumed.pid() + "/maps");
            assumeTrue(Files.isReadable(maps));
            assertThat(Files.readString(maps)).contains("data.txt").doesNotContain(run + "/state-");
        } finally {
            resumed.destroyForcibly().waitFor();
        }
    }
}
