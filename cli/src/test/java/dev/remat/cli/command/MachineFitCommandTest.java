package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code fit --machines} and {@code fit --stages}. */
@Tag("slow")
class MachineFitCommandTest {
    private static final String BUDGET = "200KiB";

    @TempDir
    Path folder;

    private String tiny;

    @BeforeEach
    void write() throws IOException {
        tiny = TinyModels.text(folder);
    }

    private CommandRun run(String command, String options) {
        List<String> words = new ArrayList<>(List.of(command, tiny));
        words.addAll(List.of(options.split(" ")));
        return CommandRun.of(words.toArray(String[]::new));
    }

    private CommandRun fit(String options) {
        return run("fit", "--set T=16 --budget " + BUDGET + " " + options);
    }

    /** One row more in every micro-batch fits by no plan of the same effort; the answer is the fastest of all. */
    @Test
    void eachWayHasTheLargestBatchThatCanBePlanned() {
        CommandRun fit = fit("--machines 2 --micro-batches 4 --max 64 --json");
        assertThat(fit.exitCode()).as(fit.err()).isZero();
        assertThat(fit.out()).contains("\"remat-fit-machines/1\"");
        List<String> ways = Pattern.compile("\\{[^{}]*\"stages\"[^{}]*}")
                .matcher(fit.out())
                .results()
                .map(way -> way.group())
                .toList();
        assertThat(ways)
                .extracting(way -> number(way, "stages") + "x" + number(way, "ranks"))
                .containsExactly("1x2", "2x1");
        double most = 0;
        for (String way : ways) {
            String options = "--stages %d --ranks %d --micro-batches 4 --effort quick --budget %s --set T=16,B="
                    .formatted(number(way, "stages"), number(way, "ranks"), BUDGET);
            long extent = number(way, "extent");
            assertThat(extent).isPositive().isLessThan(64);
            if (way.contains("\"largestArenaBytes\"")) {
                assertThat(number(way, "largestArenaBytes")).isLessThanOrEqualTo(200 << 10);
                assertThat(run("plan", options + extent).exitCode()).as(way).isZero();
                assertThat(run("plan", options + (extent + 4)).exitCode())
                        .as(way)
                        .isEqualTo(4);
                most = Math.max(most, (double) extent / number(way, "cost"));
            } else {
                assertThat(way).contains("\"leastCost\"");
            }
        }
        String fastest = ways.stream()
                .filter(way -> way.matches("(?s).*\"fastest\"\\s*:\\s*true.*"))
                .findFirst()
                .orElseThrow();
        assertThat((double) number(fastest, "extent") / number(fastest, "cost")).isEqualTo(most);
        assertThat(number(fit.out(), "extent")).isEqualTo(number(fastest, "extent"));
    }

    @Test
    void theAnswerNamesMachinesWayAndBatch() {
        CommandRun fit = fit("--stages 2 --ranks 1 --micro-batches 2 --max 8 --link 1Gbit:5us");
        assertThat(fit.exitCode()).as(fit.err()).isZero();
        assertThat(fit.out())
                .contains("The largest B of Tiny on cpu by each way to share it")
                .containsPattern("\n +2 +1 +2 +1f1b +8 ")
                .contains("  2 machines of 200 KiB: 2 stages × 1 rank, B=8 in 2 micro-batches by 1f1b");
    }

    @Test
    void whatCannotBeIsRefused() {
        CommandRun none = run("fit", "--set T=16 --budget 1KiB --machines 2");
        assertThat(none.exitCode()).as(none.err()).isEqualTo(4);
        assertThat(none.err()).contains("not even one row in each micro-batch fits");
        CommandRun tokens = run("fit", "--set B=8 --symbol T --budget 1MiB --machines 2");
        assertThat(tokens.exitCode()).as(tokens.err()).isEqualTo(2);
        assertThat(tokens.err()).contains("share the rows of a batch, which T does not count");
        misused("--machines 2 --disk " + folder, "--disk or --host-budget does not go with --machines or --stages");
        misused("--machines 2 --chunks 2", "--chunks N does not go with --machines or --stages");
        misused("--machines 2 --micro-batches auto", "--micro-batches takes a number here, not auto");
        misused("--machines 6 --stages 4", "no numbers of stages and ranks that come to 6 machines are asked for");
        misused("--schedule zb", "--schedule orders the work of stages; it needs --stages or --machines");
    }

    private void misused(String options, String why) {
        CommandRun run = fit(options);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
        assertThat(run.err()).contains(why);
    }

    private static long number(String json, String field) {
        Matcher found = Pattern.compile("\"" + field + "\"\\s*:\\s*([0-9]+)").matcher(json);
        assertThat(found.find()).as(json).isTrue();
        return Long.parseLong(found.group(1));
    }
}
