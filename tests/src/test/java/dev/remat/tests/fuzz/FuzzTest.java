package dev.remat.tests.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.tests.process.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Whatever a user writes by mistake is taken or refused as documented: no internal error, no stack trace, no exit code
 * that stands nowhere, nothing that hangs or takes more than a gibibyte, and no result that is written by half.
 *
 * <p>{@code -Dremat.fuzz.inputs=N} runs N inputs instead of 1,000, {@code -Dremat.fuzz.kinds=npy,data} some kinds
 * alone, {@code -Dremat.fuzz.seed=N} others than usual; {@code tests/benchmarks/fuzz.sh} does the same by itself.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class FuzzTest {
    private static final long INPUTS = Long.getLong("remat.fuzz.inputs", 1000);
    private static final long SEED = Long.getLong("remat.fuzz.seed", 1);
    private static final String KINDS = System.getProperty("remat.fuzz.kinds", "");

    @TempDir
    Path folder;

    @Test
    void mistakesAreRefusedInWords() throws IOException, InterruptedException {
        Path said = folder.resolve("said");
        List<String> command = new ArrayList<>(JavaCommand.of(RunFuzz.class.getName(), "-Xmx640m"));
        command.addAll(List.of(
                Files.createDirectory(folder.resolve("inputs")).toString(),
                String.valueOf(INPUTS),
                String.valueOf(SEED),
                KINDS));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            assertThat(process.waitFor(1, TimeUnit.DAYS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        System.out.println(Files.readString(said));
        assertThat(process.exitValue()).as(Files.readString(said)).isZero();
    }
}
