package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.portfolio.Strategies;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckCommandTest {
    @TempDir
    Path folder;

    @Tag("slow")
    @Test
    void triesEveryStrategyAndBudgetsWithDrawsMadeAgain() throws IOException {
        CommandRun run = CommandRun.of("check", TinyModels.text(folder), "--set", "B=2,T=4");
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).contains("same bits").doesNotContain("FAILED");
        for (Planner strategy : Strategies.all()) {
            assertThat(run.out()).containsPattern("(?m)^(ok)? +" + strategy.name() + " ");
        }
        assertThat(run.out().lines())
                .anyMatch(line -> line.matches("ok .* [1-9]\\d* nodes, [1-9]\\d* random draws? +same bits"))
                .filteredOn(line -> line.contains("auto within"))
                .hasSize(4);
        Matcher summary = Pattern.compile("(\\d+) distinct plans compared, (\\d+) of them with recomputations; .*"
                        + "kernels received all of it and no more")
                .matcher(run.out());
        assertThat(summary.find()).as(run.out()).isTrue();
        assertThat(Integer.parseInt(summary.group(2))).isBetween(3, Integer.parseInt(summary.group(1)) - 1);
    }

    @Test
    void saysWhereNothingIsSaved() throws IOException {
        CommandRun run = CommandRun.of("check", TinyModels.single(folder));
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.out())
                .contains(
                        "the same plan as keep-all",
                        "no plan takes less memory than keep-all here; for larger sizes some do")
                .doesNotContain("auto within");
    }

    @Test
    void takesWhatTheUserNames() throws IOException {
        String model = TinyModels.text(folder);
        CommandRun run = CommandRun.of(
                "check", model, "--set", "B=2,T=4", "--strategy", "sqrt,segments=2", "--budget", "97%", "--steps", "1");
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.out())
                .containsPattern("sqrt within \\d+ ")
                .containsPattern("segments=2 within \\d+ ")
                .doesNotContain("revolve", "auto");
        CommandRun refused = CommandRun.of("check", model, "--set", "B=16,T=32", "--budget", "1000");
        assertThat(refused.exitCode()).isEqualTo(4);
        assertThat(CommandRun.of("check", model, "--set", "B=2,T=4", "--steps", "0")
                        .exitCode())
                .isEqualTo(2);
    }

    @Test
    void reportsAsJson() throws IOException {
        CommandRun run = CommandRun.of("check", TinyModels.text(folder), "--set", "B=2,T=4,depth=1", "--json");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .contains("\"schema\": \"remat-check/1\"", "\"ok\": true", "\"gradients\"")
                .contains("\"samePlanAs\": \"keep-all\"")
                .contains("\"fault\": 0", "\"kink\": 0", "\"undecided\": 0", "\"sameBits\": true");
    }

    /** Bends are told and fail nothing. */
    @Test
    void tellsKinksWithTheirPlaces() throws IOException {
        CommandRun run = CommandRun.of("check", TinyModels.bent(folder));
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.out())
                .contains("1 of 2 parameters agree", "1 kink, 0 undecided, 0 faults")
                .containsPattern("kink +b of .*bent.model:7:\\d+: the plan says ");
    }

    @Test
    void drawsFloatsFromARange() throws IOException {
        String model = TinyModels.measuring(folder);
        String usual = CommandRun.of("check", model, "--set", "B=4").out();
        CommandRun run = CommandRun.of("check", model, "--set", "B=4", "--range", "x=0..1e-3");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("losses of [0.99").isNotEqualTo(usual);
        for (String wrong : List.of("x", "x=1", "x=1..1", "x=a..b", "x=0..Infinity")) {
            assertThat(CommandRun.of("check", model, "--set", "B=4", "--range", wrong)
                            .exitCode())
                    .as(wrong)
                    .isEqualTo(2);
        }
        CommandRun unknown = CommandRun.of("check", model, "--set", "B=4", "--range", "y=0..1");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.err()).contains("--range names y, which is no input of floats (there are: x)");
        CommandRun text = CommandRun.of(
                "train",
                TinyModels.text(folder),
                "--set",
                "B=2,T=4",
                "--text",
                TinyModels.data(folder),
                "--steps",
                "1",
                "--range",
                "x=0..1");
        assertThat(text.exitCode()).isEqualTo(2);
        assertThat(text.err()).contains("--range is for --data synthetic");
    }

    /** Views are made again at no cost, and counted by neither. */
    @Test
    @Tag("slow")
    void countsTheRecomputationsThatPlanCounts() throws IOException {
        String model = TinyModels.text(folder);
        String plan = CommandRun.of("plan", model, "--set", "B=2,T=4", "--strategy", "segments=2", "--verbose")
                .out();
        Matcher counted = Pattern.compile("and ([1-9]\\d*) recomputed nodes").matcher(plan);
        assertThat(counted.find()).as(plan).isTrue();
        assertThat(CommandRun.of("check", model, "--set", "B=2,T=4").out())
                .containsPattern("segments=2 .* " + counted.group(1) + " nodes, ");
    }
}
