package dev.remat.cli.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.console.Console;
import dev.remat.runtime.Moved;
import dev.remat.runtime.train.StepResult;
import java.io.ByteArrayOutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TrainTextTest {
    private static final int TERMINAL_COLUMNS = 80;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private Console console(boolean isTerminal) {
        return new Console(out, err, isTerminal, isTerminal);
    }

    private static void twoSteps(TrainText text) {
        for (int step = 1; step <= 2; step++) {
            text.step(
                    new StepResult(step, 1.5, new LinkedHashMap<>(), Optional.empty(), 20, Moved.NONE, 64),
                    Optional.empty());
        }
    }

    /** What ends a run also closes its report, after the summary. */
    @Test
    void drawsNoBarBelowTheSummary() {
        try (TrainText text = new TrainText(console(true), 64, 1, 0, 2)) {
            twoSteps(text);
            text.end(true, 2, "hash");
            assertThat(err.toString(UTF_8)).contains("2/2").endsWith(System.lineSeparator());
            err.reset();
        }
        assertThat(err.toString(UTF_8)).isEmpty();
        assertThat(out.toString(UTF_8))
                .startsWith("2 steps, loss 1.5000 at first")
                .contains("state hash");
    }

    /** Such as one that ends by a failure. */
    @Test
    void endsTheBarOfARunWithoutSummary() {
        try (TrainText text = new TrainText(console(true), 64, 1, 0, 2)) {
            twoSteps(text);
        }
        assertThat(err.toString(UTF_8)).contains("2/2").endsWith(System.lineSeparator());
    }

    @Test
    void drawsInOneLine() {
        try (TrainText text = new TrainText(console(true), 64, 1, 0, 2)) {
            twoSteps(text);
        }
        assertThat(err.toString(UTF_8).strip().split("\r"))
                .isNotEmpty()
                .allMatch(bar -> bar.length() < TERMINAL_COLUMNS);
    }

    /** As in the lines before it: four decimals would show a small loss as zero. */
    @Test
    void showsSmallLossesInTheSummary() {
        try (TrainText text = new TrainText(console(false), 64, 1, 0, 1)) {
            text.step(
                    new StepResult(1, 2.5e-5, new LinkedHashMap<>(), Optional.empty(), 20, Moved.NONE, 64),
                    Optional.empty());
            text.end(true, 1, "hash");
        }
        assertThat(out.toString(UTF_8)).contains("1 step, loss 2.500e-05 at first and 2.500e-05 at last");
    }

    /** The first loss is not that of step 1 where a run goes on. */
    @Test
    void sumsUpTheStepsOfAResumedRunAlone() {
        for (int completed : new int[] {0, 1, 2}) {
            out.reset();
            try (TrainText text = new TrainText(console(false), 64, 1, completed, 3)) {
                text.step(
                        new StepResult(3, 1.5, new LinkedHashMap<>(), Optional.empty(), 20, Moved.NONE, 64),
                        Optional.empty());
                text.end(true, 3, "hash");
            }
            String steps = List.of("3 steps", "steps 2 to 3", "step 3").get(completed);
            assertThat(out.toString(UTF_8)).contains("\n" + steps + ", loss 1.5000 at first");
        }
    }

    @Test
    void drawsNoBarWhereNobodyLooks() {
        try (TrainText text = new TrainText(console(false), 64, 1, 0, 2)) {
            twoSteps(text);
            text.end(true, 2, "hash");
        }
        assertThat(err.toString(UTF_8)).isEmpty();
        assertThat(out.toString(UTF_8)).startsWith("step 1 ").contains("step 2 ");
    }
}
