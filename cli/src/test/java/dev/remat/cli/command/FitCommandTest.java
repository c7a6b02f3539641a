package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FitCommandTest {
    @TempDir
    Path folder;

    private String model;

    @BeforeEach
    void writeModel() throws IOException {
        model = TinyModels.text(folder);
    }

    private CommandRun run(String command, String... options) {
        List<String> words = new ArrayList<>(List.of(command, model));
        words.addAll(List.of(options));
        return CommandRun.of(words.toArray(String[]::new));
    }

    private Map<String, String> fit(String memory) throws IOException {
        CommandRun run = run("fit", "--set", "T=16", "--symbol", "B", "--budget", memory, "--json");
        assertThat(run.exitCode()).as(run.err()).isZero();
        return JsonFields.of(run.out());
    }

    private boolean plans(long extent, String memory) {
        String settings = "T=16,B=" + extent;
        return run("plan", "--set", settings, "--budget", memory, "--effort", "quick")
                        .exitCode()
                == 0;
    }

    @Test
    void theAnswerIsTheLastThatCountingUpFinds() throws IOException {
        Map<String, String> fields = fit("300KiB");
        long largest = 1;
        while (plans(largest + 1, "300KiB")) {
            largest++;
        }
        assertThat(fields)
                .containsEntry("extent", String.valueOf(largest))
                .containsEntry("schema", "remat-fit/1")
                .containsEntry("symbols.B", String.valueOf(largest))
                .containsEntry("symbols.T", "16");
        assertThat(Long.parseLong(fields.get("arenaBytes"))).isLessThanOrEqualTo(300 << 10);
        assertThat(fields.get("next.verdict")).isIn("impossible", "not-found");
        assertThat(Long.parseLong(fields.get("withoutRecomputation.extent")))
                .isPositive()
                .isLessThan(largest);
        assertThat(Double.parseDouble(fields.get("overhead"))).isPositive();
    }

    @Test
    void theBatchIsLookedForUnlessAnotherSymbolIsNamed() throws IOException {
        CommandRun run = run("fit", "--set", "T=16", "--budget", "300KiB", "--json");
        Map<String, String> batch = JsonFields.of(run.out());
        assertThat(batch)
                .containsEntry("symbol", "B")
                .containsEntry("extent", fit("300KiB").get("extent"));
        CommandRun given = run("fit", "--set", "T=16,B=4", "--budget", "300KiB");
        assertThat(given.exitCode()).isEqualTo(2);
        assertThat(given.err())
                .contains("the extent of B is what is looked for", "--symbol looks for another (symbols: B, T)");
        Map<String, String> length =
                JsonFields.of(run("fit", "--set", "B=1", "--symbol", "T", "--budget", "300KiB", "--max", "4", "--json")
                        .out());
        assertThat(length).containsEntry("symbol", "T").containsEntry("extent", "4");
    }

    @Test
    void whereNoSymbolIsTheBatchOneMustBeNamed() throws IOException {
        model = Files.writeString(folder.resolve("pair.model"), """
            remat 1
            model Pair {
              symbol N, M
              input x: f32[N, 3]
              input y: f32[M, 3]
              loss = mean(linear(x, 2)) + mean(linear(y, 2))
            }
            train { minimize loss; optimizer sgd(lr = 0.1) }
            """).toString();
        CommandRun run = run("fit", "--budget", "300KiB");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .contains("do not begin with one symbol, so --symbol must say what to look for (symbols: N, M)");
        CommandRun named = run("fit", "--symbol", "N", "--set", "M=2", "--budget", "300KiB", "--max", "3");
        assertThat(named.exitCode()).as(named.err()).isZero();
    }

    @Test
    void whatFitsWithoutRecomputationIsWhatKeepingAllTakes() throws IOException {
        long extent = Long.parseLong(fit("300KiB").get("withoutRecomputation.extent"));
        assertThat(kept(extent)).isLessThanOrEqualTo(300 << 10);
        assertThat(kept(extent + 1)).isGreaterThan(300 << 10);
    }

    /** What is left of the arena by parameters and moments is too little even for 1, until they may live below. */
    @Test
    void moreFitsWhereTensorsMayMove() throws IOException {
        List<String> words = new ArrayList<>(
                List.of("--set", "T=8,width=128,depth=1", "--symbol", "B", "--budget", "1100KiB", "--max", "16"));
        CommandRun still = run("fit", words.toArray(String[]::new));
        assertThat(still.exitCode()).isEqualTo(4);
        assertThat(still.err()).contains("not even B=1 fits");
        words.addAll(List.of("--host-budget", "1GiB", "--host-rates", "20GB/s:20GB/s:1us"));
        assertThat(run("fit", words.toArray(String[]::new)).out())
                .contains("the largest B that fits 1.07 MiB is 16")
                .contains("  stored  ", "  on the host  ", "  exposed  ")
                .doesNotContain("~");
        words.add("--json");
        Map<String, String> moving =
                JsonFields.of(run("fit", words.toArray(String[]::new)).out());
        assertThat(Long.parseLong(moving.get("transfers.fetchBytes"))).isPositive();
        assertThat(fit("300KiB").keySet()).noneMatch(field -> field.startsWith("transfers"));
    }

    private long kept(long extent) throws IOException {
        return Long.parseLong(
                JsonFields.of(run("plan", "--json", "--set", "T=16,B=" + extent).out())
                        .get("memory.arenaBytes"));
    }

    @Test
    void textSaysWhatBinds() {
        CommandRun run = run("fit", "--set", "T=16", "--symbol", "B", "--budget", "300KiB");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains(
                        "Tiny with T=16 on cpu: the largest B",
                        "keeping all",
                        "What binds",
                        "optimizer state",
                        "cross_entropy_grad")
                .doesNotContain("\u001b")
                .doesNotContain("more than there is");
    }

    @Test
    void anExcessThatRoundingHidesIsSaid() throws IOException {
        long less = Long.parseLong(fit("1MiB").get("next.floorBytes")) - 1000;
        CommandRun run = run("fit", "--set", "T=16", "--symbol", "B", "--budget", less + "B");
        assertThat(run.out()).containsPattern("needs less than 1\\.01 MiB, 1000 B more than there is");
    }

    @Test
    void memoryDoesNotBindBelowTheCapOrWhereTheModelEnds() throws IOException {
        CommandRun capped = run("fit", "--set", "T=16", "--symbol", "B", "--budget", "h100", "--max", "6", "--json");
        assertThat(JsonFields.of(capped.out()))
                .containsEntry("extent", "6")
                .containsEntry("next.verdict", "not-asked")
                .containsEntry("withoutRecomputation.extent", "6")
                .containsEntry("overhead", "0.0");
        CommandRun units =
                run("fit", "--set", "T=16", "--symbol", "B", "--budget", "h100", "--max", "6", "--costs", "unit");
        double each = Integer.parseInt(units.out().replaceAll("(?s).*one step +(\\d+) units.*", "$1")) / 6.0;
        assertThat(units.out())
                .contains(
                        "since --max is 6",
                        "At the peak, where",
                        "of the step's cost",
                        String.format(Locale.ROOT, "%.2f units for each of B", each))
                .doesNotContain("What binds");
        CommandRun brief = run("fit", "--set", "T=16", "--symbol", "B", "--budget", "h100", "--time-limit", "0.000001");
        assertThat(brief.exitCode()).isZero();
        assertThat(brief.out()).contains("fits 78.1 GiB is 1\n", "since --time-limit ended the search");
        CommandRun ends = run("fit", "--set", "T=1000003", "--symbol", "B", "--budget", "8000TiB", "--json");
        assertThat(JsonFields.of(ends.out())).containsEntry("extent", "2147").containsEntry("next.verdict", "invalid");
        assertThat(JsonFields.of(ends.out()).get("next.message")).contains("larger than 2147483647");
    }

    @Test
    void theLargestBatchThatIsCutIsAMultiple() throws IOException {
        CommandRun run =
                run("fit", "--set", "T=16", "--symbol", "B", "--budget", "300KiB", "--micro-batches", "2", "--json");
        Map<String, String> fields = JsonFields.of(run.out());
        long extent = Long.parseLong(fields.get("extent"));
        assertThat(fields).containsEntry("microBatches", "2").containsEntry("next.extent", String.valueOf(extent + 2));
        assertThat(extent).isEven().isGreaterThan(Long.parseLong(fit("300KiB").get("extent")));
        assertThat(plansIn(2, extent)).isTrue();
        assertThat(plansIn(2, extent + 2)).isFalse();
        CommandRun none = run("fit", "--set", "T=16", "--symbol", "B", "--budget", "1KiB", "--micro-batches", "2");
        assertThat(none.exitCode()).isEqualTo(4);
        assertThat(none.err()).contains("not even B=2 fits");
    }

    private boolean plansIn(int count, long extent) {
        return run(
                                "plan",
                                "--set",
                                "T=16,B=" + extent,
                                "--budget",
                                "300KiB",
                                "--effort",
                                "quick",
                                "--micro-batches",
                                String.valueOf(count))
                        .exitCode()
                == 0;
    }

    @Tag("slow")
    @Test
    void ratesByTheNumberOfMicroBatches() throws IOException {
        String[] asked = {"--set", "T=16", "--symbol", "B", "--budget", "300KiB", "--micro-batches", "auto"};
        assertThat(run("fit", asked).out())
                .startsWith("The largest B by its number of micro-batches")
                .containsPattern("m +B +arena +one step +recomputed +rows/s +kept whole +rows/s")
                .contains("fastest");
        String[] json = Arrays.copyOf(asked, asked.length + 1);
        json[asked.length] = "--json";
        CommandRun run = run("fit", json);
        assertThat(run.out().replaceAll("\\s", ""))
                .contains("\"rates\":[{\"microBatches\":1,\"extent\":"
                        + fit("300KiB").get("extent") + ",");
        // Those of the last number that was looked at.
        Map<String, String> fields = JsonFields.of(run.out());
        assertThat(Integer.parseInt(fields.get("rates.microBatches"))).isGreaterThan(1);
        double rate = 1000.0
                * Long.parseLong(fields.get("rates.extent"))
                / Double.parseDouble(fields.get("rates.estimatedMillis"));
        assertThat(Double.parseDouble(fields.get("rates.rowsPerSecond"))).isCloseTo(rate, within(1e-6 * rate));
    }

    @Test
    void aMemoryTooSmallForOneIsRefused() {
        CommandRun run = run("fit", "--set", "T=16", "--symbol", "B", "--budget", "1KiB");
        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .contains("not even B=1 fits", "no plan fits 1024 bytes (1.00 KiB)", "no plan at all needs less than");
    }

    @Test
    void mistakesAreUsageErrors() {
        assertThat(run("fit", "--set", "T=16", "--symbol", "b", "--budget", "1MiB")
                        .err())
                .contains("the model has no symbol 'b'; did you mean 'B'? (symbols: B, T)");
        assertThat(run("fit", "--set", "T=16,B=4", "--symbol", "B", "--budget", "1MiB")
                        .err())
                .contains("--set must not give it");
        assertThat(run("fit", "--symbol", "B", "--budget", "1MiB").err()).contains("symbol T needs a value");
        CommandRun device = run("fit", "--set", "T=16", "--symbol", "B", "--budget", "h1000");
        assertThat(device.exitCode()).isEqualTo(2);
        assertThat(device.err()).contains("did you mean 'h100'?", "a100-40gb");
        assertThat(run("fit", "--set", "T=16", "--symbol", "B", "--budget", "50%")
                        .exitCode())
                .isEqualTo(2);
        assertThat(run("fit", "--set", "T=16", "--symbol", "B", "--budget", "1MiB", "--max", "0")
                        .exitCode())
                .isEqualTo(2);
        assertThat(run("fit", "--set", "T=16", "--symbol", "B", "--budget", "1MiB", "--effort", "some")
                        .err())
                .contains("'some' is none of quick, normal and full");
    }
}
