package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several numbers of ranks side by side, none of which is there. */
class RankForesightTest {
    private static final String LINK = "8Gbit:10us";

    @TempDir
    Path folder;

    private String square;

    @BeforeEach
    void write() throws IOException {
        square = Files.writeString(folder.resolve("square.model"), """
            remat 1
            model Square {
              symbol B
              input x: f32[B, 256]
              param w: f32[256, 256] = ones
              loss = mean((x @ w) ** 2)
            }
            train { minimize loss; optimizer sgd(lr = 0.1) }
            """).toString();
    }

    private CommandRun run(String command, String... more) {
        List<String> words = new ArrayList<>(List.of(command, square));
        words.addAll(List.of(more));
        return CommandRun.of(words.toArray(String[]::new));
    }

    private String json(String command, String... more) {
        List<String> words = new ArrayList<>(List.of(more));
        words.add("--json");
        CommandRun run = run(command, words.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }

    private static List<Double> all(String json, String field) {
        return Pattern.compile("\"" + field + "\" ?: ?([0-9.eE+-]+)")
                .matcher(json)
                .results()
                .map(found -> Double.valueOf(found.group(1)))
                .toList();
    }

    /** Of 256 KiB the share of all others is scattered in each round and gathered once; so are four bytes of loss. */
    @Test
    void aSweepTellsEachNumberAsItsPlanDoes() throws IOException {
        String sweep = json("sweep", "--set", "B=64", "--micro-batches", "8", "--ranks", "1,8,2,4", "--link", LINK);
        assertThat(sweep).contains("\"remat-ranks/1\"");
        List<Double> ranks = List.of(1.0, 2.0, 4.0, 8.0);
        assertThat(all(sweep, "count")).isEqualTo(ranks);
        long whole = 256L * 256 * 4;
        assertThat(all(sweep, "scatterBytes"))
                .isEqualTo(ranks.stream()
                        .map(number -> 8 / number * whole * (number - 1) / number)
                        .toList());
        assertThat(all(sweep, "gatherBytes"))
                .isEqualTo(ranks.stream()
                        .map(number -> whole * (number - 1) / number + 8 / number * (number - 1) * 4)
                        .toList());
        for (int i = 0; i < ranks.size(); i++) {
            double step = all(sweep, "stepMillis").get(i);
            assertThat(all(sweep, "rowsPerSecond").get(i)).isCloseTo(64_000 / step, within(1e-6));
            assertThat(all(sweep, "efficiency").get(i))
                    .isCloseTo(1 - all(sweep, "exposedMillis").get(i) / step, within(1e-12));
        }
        assertThat(all(sweep, "efficiency").getFirst()).isEqualTo(1);
        Map<String, String> plan =
                JsonFields.of(json("plan", "--set", "B=64", "--micro-batches", "8", "--ranks", "8", "--link", LINK));
        assertThat(all(sweep, "arenaBytes").getLast()).isEqualTo(Double.parseDouble(plan.get("memory.arenaBytes")));
        assertThat(all(sweep, "stepMillis").getLast()).isEqualTo(Double.parseDouble(plan.get("ranks.stepMillis")));
    }

    @Test
    void aSweepHasARowForEachBudgetAndSaysWhatFitsNone() {
        CommandRun run = run("sweep", "--set", "B=64", "--ranks", "2,4", "--budgets", "100%,64KiB", "--link", LINK);
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out().lines().filter(line -> line.contains("100 %")).count())
                .isEqualTo(2);
        assertThat(run.out().lines().filter(line -> line.endsWith("none fits")).count())
                .isEqualTo(2);
        assertThat(run.out()).contains("each sends", "efficiency", "rows/s").containsOnlyOnce("fastest");
    }

    /** The number of micro-batches may depend on the batch, and is read before anything else is known. */
    @Test
    void aBatchOfNothingIsRefused() {
        for (List<String> more : List.of(List.of("--micro-batches", "2"), List.of("--ranks", "2"))) {
            List<String> words = new ArrayList<>(List.of("--set", "B=0"));
            words.addAll(more);
            CommandRun run = run("plan", words.toArray(String[]::new));
            assertThat(run.exitCode()).as(run.err()).isEqualTo(3);
            assertThat(run.err()).contains("error[E0205]: symbol 'B' is a positive integer, not 0");
        }
    }

    /** Without a link nothing says how long an exchange takes. */
    @Test
    void aSweepWithoutALinkTellsBytesAlone() {
        CommandRun run = run("sweep", "--set", "B=64", "--ranks", "2,4");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("each sends").doesNotContain("efficiency");
        assertThat(json("sweep", "--set", "B=64", "--ranks", "2,4")).doesNotContain("efficiency");
    }

    /** As counting up finds it, a row more for each micro-batch at a time. */
    @Test
    void fitFindsTheLargestBatchOfARank() throws IOException {
        String budget = "1MiB";
        Map<String, String> fit =
                JsonFields.of(json("fit", "--budget", budget, "--micro-batches", "4", "--ranks", "2", "--link", LINK));
        int largest = 4;
        while (run(
                                "plan",
                                "--set",
                                "B=" + (largest + 4),
                                "--micro-batches",
                                "4",
                                "--ranks",
                                "2",
                                "--budget",
                                budget,
                                "--effort",
                                "quick")
                        .exitCode()
                == 0) {
            largest += 4;
        }
        assertThat(fit)
                .containsEntry("extent", String.valueOf(largest))
                .containsEntry("ranks.count", "2")
                .containsEntry("byRanks.count", "2")
                .containsEntry("byRanks.rows", String.valueOf(largest));
        Map<String, String> alone =
                JsonFields.of(json("fit", "--budget", budget, "--micro-batches", "4", "--ranks", "1"));
        assertThat(alone).doesNotContainKeys("ranks.count", "byRanks.count");
    }

    @Test
    void fitTellsSeveralNumbersAndExplainsTheFastest() {
        CommandRun run = run("fit", "--budget", "1MiB", "--max", "64", "--ranks", "2,4", "--link", LINK);
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).contains("the batch is cut into 4 micro-batches, one a rank");
        assertThat(run.out())
                .contains("The largest B by the number of ranks", "Square in 4 micro-batches on cpu: the largest B")
                .contains("4 ranks, each with 1 of 4 micro-batches", " rows/s: kernels ")
                .containsOnlyOnce("fastest");
    }

    @Test
    void whereNothingFitsFitSaysWhy() {
        CommandRun run = run("fit", "--budget", "64KiB", "--ranks", "2,4");
        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(run.err()).contains("not even B=4 fits", "no plan at all needs less than");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sweep --set B=8 --micro-batches 8 --ranks 1,6 | --ranks 6 does not divide 8 micro-batches; 1, 2, 4, 8"
                        + " do",
                "sweep --set B=8 --ranks 2 --bounds | --ranks makes one plan a number and budget",
                "sweep --set B=8 --ranks 2 --strategies auto,sqrt | --ranks makes one plan a number and budget",
                "sweep --set B=8 --link 10Gbit | --link is about what ranks exchange; it needs --ranks",
                "sweep --set B=8 --shard optimizer | --shard is about what each of several ranks holds; it needs"
                        + " --ranks",
                "fit --budget 1MiB --shard optimizer | --shard is about what each of several ranks holds",
                "fit --budget 1MiB --link 10Gbit | --link is about what ranks exchange; it needs --ranks",
                "fit --budget 1MiB --micro-batches 8 --ranks 3 | --ranks 3 does not divide 8 micro-batches",
                "fit --budget 1MiB --micro-batches auto --ranks 2 | --micro-batches takes that here, not auto",
                "sweep --set B=8 --ranks 2 --link fast | --link",
            })
    void whatDoesNotSuitIsMisuse(String words, String message) {
        List<String> split = new ArrayList<>(List.of(words.split(" ")));
        CommandRun run = run(split.removeFirst(), split.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
        assertThat(run.err()).contains(message);
    }
}
