package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckCommandTest {
    @TempDir
    Path folder;

    @Test
    void holdsThePromisesWithDropoutRecomputed() throws IOException {
        CommandRun run = CommandRun.of("check", TinyModels.text(folder), "--set", "B=2,T=4");
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).contains("same bits").doesNotContain("FAILED");
        assertThat(run.out().lines())
                .anyMatch(line -> line.matches(".*same bits with [1-9].*, [1-9]\\d* random draws? among them"));
    }

    @Test
    void reportsAsJson() throws IOException {
        CommandRun run = CommandRun.of("check", TinyModels.text(folder), "--set", "B=2,T=4,depth=1", "--json");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("\"schema\": \"remat-check/1\"", "\"ok\": true", "\"gradients\"");
    }

    /** Views are made again at no cost, and counted by neither. */
    @Test
    void countsTheRecomputationsThatPlanCounts() throws IOException {
        String model = TinyModels.text(folder);
        String plan = CommandRun.of("plan", model, "--set", "B=2,T=4", "--strategy", "segments=2")
                .out();
        Matcher counted = Pattern.compile("and ([1-9]\\d*) recomputed nodes").matcher(plan);
        assertThat(counted.find()).as(plan).isTrue();
        assertThat(CommandRun.of("check", model, "--set", "B=2,T=4").out())
                .containsPattern("segments=2 +same bits with " + counted.group(1) + " nodes");
    }
}
