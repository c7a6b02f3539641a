package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SweepCommandTest {
    @TempDir
    Path folder;

    private CommandRun sweep(String file, String... options) {
        List<String> words = new ArrayList<>(List.of("sweep", file));
        words.addAll(List.of(options));
        return CommandRun.of(words.toArray(String[]::new));
    }

    private CommandRun sweep(List<String> words) {
        return sweep(words.getFirst(), words.subList(1, words.size()).toArray(String[]::new));
    }

    /** As {@link SolveCommandTest} derives: kept, the peak is 31 bytes at cost 12; 22 cost 14, and none need less. */
    private String chain() throws IOException {
        return Files.writeString(folder.resolve("chain.json"), SolveCommandTest.CHAIN)
                .toString();
    }

    @Test
    void aGraphFromElsewhereIsMeasuredByPeaks() throws IOException {
        CommandRun run = sweep(chain(), "--budgets", "21,100%,22", "--strategies", "auto,keep-all");
        assertThat(run.exitCode()).as(run.err()).isZero();
        List<String> lines = run.out().lines().toList();
        assertThat(lines)
                .contains("chain: cost recomputed, by strategy and budget for the peak; - where no plan found fits");
        assertThat(run.out().replaceAll(" +", " "))
                .contains(
                        " 100.0 % 71.0 % 67.7 %",
                        " auto 0.00 % 16.67 % -\n",
                        " keep-all 0.00 % - -\n",
                        " 31 B 100.0 % 0.00 % ",
                        " 22 B 71.0 % 16.67 % ",
                        "no plan needs less, for running 'db'");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void jsonHoldsTheTableAndTheFrontier() throws IOException {
        CommandRun run =
                sweep(TinyModels.text(folder), "--set", "B=4,T=16", "--strategies", "sqrt,auto,sqrt", "--json");
        assertThat(run.exitCode()).as(run.err()).isZero();
        Map<String, String> fields = JsonFields.of(run.out());
        assertThat(fields.keySet())
                .containsExactly(
                        "schema",
                        "model",
                        "symbols.B",
                        "symbols.T",
                        "target",
                        "costModel",
                        "measure",
                        "keepAllBytes",
                        "floorBytes",
                        "floorSetBy",
                        "smallestFoundBytes",
                        "baselineCost",
                        "budgets.budgetBytes",
                        "budgets.plans.strategy",
                        "budgets.plans.by",
                        "budgets.plans.bytes",
                        "budgets.plans.cost",
                        "budgets.plans.overhead",
                        "frontier.strategy",
                        "frontier.bytes",
                        "frontier.cost",
                        "frontier.overhead",
                        "seconds");
        assertThat(fields)
                .containsEntry("schema", "remat-sweep/1")
                .containsEntry("measure", "arena")
                .containsEntry("model", "Tiny")
                .containsEntry("target", "cpu");
        CommandRun kept = CommandRun.of("plan", TinyModels.text(folder), "--set", "B=4,T=16", "--json");
        assertThat(fields.get("keepAllBytes"))
                .isEqualTo(JsonFields.of(kept.out()).get("memory.arenaBytes"));
        assertThat(fields.get("frontier.bytes")).isEqualTo(fields.get("smallestFoundBytes"));
    }

    /** Where 80 % would have it recompute, it moves what is idle, and no kernel waits. */
    @Test
    void plansMayMoveTensors() throws IOException {
        List<String> words = new ArrayList<>(List.of(
                TinyModels.text(folder),
                "--set",
                "B=8,T=32,width=64,depth=2",
                "--strategies",
                "auto",
                "--budgets",
                "80%"));
        words.addAll(List.of("--host-budget", "1GiB", "--host-rates", "20GB/s:10GB/s:1us"));
        CommandRun run = sweep(words);
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .startsWith("Tiny with B=8, T=32 on cpu with the host below: time recomputed and waited, by strategy")
                .containsPattern("auto +0.00 %");
        words.set(words.indexOf("auto"), "keep-all");
        words.add("--json");
        assertThat(JsonFields.of(sweep(words).out()))
                .containsEntry("tiers.name", "host")
                .containsEntry("tiers.fetchBytesPerSecond", "10000000000")
                .containsEntry("tiers.latencyNanos", "1000");
        words.addAll(List.of("--costs", "unit"));
        assertThat(sweep(words).exitCode()).isEqualTo(2);
        assertThat(sweep(words).err()).contains("--costs unit has no times");
    }

    @Test
    void ratesOfALinkAreRows() throws IOException {
        List<String> words = new ArrayList<>(List.of(
                TinyModels.text(folder),
                "--set",
                "B=8,T=32,width=64,depth=2",
                "--strategies",
                "offload",
                "--budgets",
                "80%,100%"));
        words.addAll(List.of("--host-budget", "1GiB", "--rates", "10GB/s:20GB/s:5us,1GB/s"));
        CommandRun run = sweep(words);
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out().lines())
                .first()
                .asString()
                .startsWith("Tiny with B=8, T=32 on cpu with the host below: time recomputed and waited, by rates");
        assertThat(run.out())
                .containsPattern("nothing moved +0.00 % +-\n")
                .containsPattern("10.0 GB/s out, 20.0 in, 5 us +0.00 % +[0-9.]+ %\n")
                .containsPattern("1.00 GB/s out, 1.00 in, 0 us +0.00 % +[0-9.-]+");
        words.add("--json");
        assertThat(JsonFields.of(sweep(words).out()).keySet())
                .contains("still.overhead", "rates.storeBytesPerSecond", "rates.latencyNanos", "rates.plans.by")
                .doesNotContain("budgets.budgetBytes");

        assertThat(sweep(with(words, "--bounds")).err()).contains("--bounds are proven for one rate");
        assertThat(sweep(with(words, "--host-rates", "1GB/s:1GB/s")).err())
                .contains("--host-rates and --rates say the same");
        assertThat(sweep(with(words, "--rates", "fast")).err()).contains("'fast:fast' says no rates");
        assertThat(sweep(with(words, "--costs", "unit")).err()).contains("--costs unit has no times");
        assertThat(sweep(words.getFirst(), "--set", "B=8,T=32", "--rates", "1GB/s")
                        .err())
                .contains("--rates needs --disk DIR or --host-budget SIZE");
    }

    private static List<String> with(List<String> words, String... more) {
        List<String> all = new ArrayList<>(words);
        all.addAll(List.of(more));
        return all;
    }

    @Test
    void mistakesAreUsageErrors() throws IOException {
        assertThat(sweep(chain(), "--strategies", "auto,sqr").err()).contains("did you mean 'sqrt'?");
        assertThat(sweep(chain(), "--budgets", "0%").exitCode()).isEqualTo(2);
        assertThat(sweep(chain(), "--set", "B=2").err()).contains("--set says nothing about a graph from elsewhere");
        assertThat(sweep(chain(), "--precision", "bf16").err())
                .contains("--precision says nothing about a graph from elsewhere");
        assertThat(sweep(chain(), "--host-budget", "1GiB", "--host-rates", "1GB/s:1GB/s")
                        .err())
                .contains("--host-budget, --host-rates say nothing about a graph from elsewhere");
        assertThat(sweep(chain(), "--target", "cpu").err()).contains("--target says nothing");
        assertThat(sweep(chain(), "--set", "B=2", "--costs", "unit", "--target", "cpu")
                        .err())
                .contains("--set, --target, --costs say nothing");
        assertThat(sweep(folder.resolve("none.json").toString()).exitCode()).isEqualTo(3);
        assertThat(sweep(TinyModels.text(folder), "--strategies", "sqrt").err()).contains("symbol B needs a value");
    }
}
