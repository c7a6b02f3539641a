package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.console.Console;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlanCommandTest {
    private static final String[] FIELDS = {
        "schema",
        "model",
        "modelHash",
        "symbols.B",
        "symbols.T",
        "target",
        "strategy",
        "budgetBytes",
        "memory.arenaBytes",
        "memory.processBytes",
        "memory.peakLiveBytes",
        "memory.parameterBytes",
        "memory.optimizerBytes",
        "memory.gradientBytesAtPeak",
        "memory.activationBytesAtPeak",
        "memory.maxActivationBytes",
        "memory.workspaceBytesAtPeak",
        "memory.keepAllArenaBytes",
        "memory.floorBytes",
        "memory.floorSetBy",
        "memory.smallestFoundBytes",
        "memory.tighteningRounds",
        "compute.flops",
        "compute.recomputeFlops",
        "compute.overhead",
        "compute.estimatedMillis",
        "compute.lowerBoundOverhead",
        "compute.boundScope",
        "compute.proven",
        "compute.costModel",
        "nodes.forward",
        "nodes.backward",
        "nodes.update",
        "nodes.recomputed",
        "nodes.kernels",
        "retained.value",
        "retained.bytes",
        "retained.at",
        "retained.reason",
        "recomputed.value",
        "recomputed.bytes",
        "recomputed.at",
        "recomputed.times",
        "recomputed.millis",
        "seconds.parse",
        "seconds.autodiff",
        "seconds.plan",
        "seconds.arena",
        "seconds.total",
        "planHash"
    };

    @TempDir
    Path folder;

    private CommandRun plan(String... more) throws IOException {
        String[] args = new String[more.length + 4];
        args[0] = "plan";
        args[1] = TinyModels.text(folder);
        args[2] = "--set";
        args[3] = "B=4,T=16";
        System.arraycopy(more, 0, args, 4, more.length);
        return CommandRun.of(args);
    }

    private static Map<String, String> json(CommandRun run) throws IOException {
        return JsonFields.of(run.out());
    }

    private static long number(Map<String, String> fields, String name) {
        return Long.parseLong(fields.get(name));
    }

    @Test
    void jsonHasTheContractedFields() throws IOException {
        CommandRun run = plan("--json", "--strategy", "sqrt");
        assertThat(run.exitCode()).as(run.err()).isZero();
        Map<String, String> fields = json(run);
        assertThat(fields.keySet()).containsExactly(FIELDS);
        assertThat(fields)
                .containsEntry("schema", "remat-plan/1")
                .containsEntry("model", "Tiny")
                .containsEntry("symbols.T", "16")
                .containsEntry("strategy", "sqrt")
                .containsEntry("target", "cpu");
        long parts = number(fields, "memory.parameterBytes")
                + number(fields, "memory.optimizerBytes")
                + number(fields, "memory.gradientBytesAtPeak")
                + number(fields, "memory.activationBytesAtPeak")
                + number(fields, "memory.workspaceBytesAtPeak");
        assertThat(parts)
                .isEqualTo(number(fields, "memory.peakLiveBytes"))
                .isLessThanOrEqualTo(number(fields, "memory.arenaBytes"));
    }

    @Test
    void equalPlansHaveEqualHashes() throws IOException {
        String first = json(plan("--json")).get("planHash");
        assertThat(json(plan("--json")).get("planHash")).isEqualTo(first);
        assertThat(json(plan("--json", "--strategy", "segments=3")).get("planHash"))
                .isNotEqualTo(first);
    }

    @Test
    void budgetsAreKeptOrRefusedWithTheSmallestOne() throws IOException {
        long arena = number(json(plan("--json")), "memory.arenaBytes");
        assertThat(number(json(plan("--json", "--budget", arena + "B")), "memory.arenaBytes"))
                .isEqualTo(arena);
        assertThat(number(json(plan("--json", "--budget", "100%")), "memory.arenaBytes"))
                .isEqualTo(arena);
        CommandRun refused = plan("--budget", "1KiB");
        assertThat(refused.exitCode()).isEqualTo(4);
        assertThat(refused.err())
                .contains("no plan fits 1024 bytes (1.00 KiB)", "for computing grad.out.weight at ")
                .doesNotContain("exists is open", "--time-limit");
        assertThat(refused.out()).isEmpty();
        String smallest = refused.err().replaceFirst("(?s).*the smallest found needs (\\d+) bytes.*", "$1");
        assertThat(number(json(plan("--json", "--effort", "quick", "--budget", smallest)), "memory.arenaBytes"))
                .isEqualTo(Long.parseLong(smallest));
    }

    /** What no line computes is called by the setting that wants it. */
    @Test
    void aFloorThatClippingSetsIsToldSo(@TempDir Path folder) throws IOException {
        Path model = Path.of(TinyModels.text(folder));
        Files.writeString(model, Files.readString(model).replace("lr = 1e-2", "lr = 1e-2, clip_norm = 1.0"));
        CommandRun refused = CommandRun.of("plan", model.toString(), "--set", "B=1,T=1,width=64", "--budget", "1KiB");
        assertThat(refused.exitCode()).isEqualTo(4);
        assertThat(refused.err())
                .contains(", for taking the norm of all gradients for clip_norm at " + model + ":17:30\n")
                .doesNotContain("<none>", "sum_of_squares");
    }

    @Test
    void aBudgetIsPlannedByAutoAndItsCostBounded() throws IOException {
        Map<String, String> kept = json(plan("--json"));
        assertThat(kept)
                .containsEntry("compute.proven", "true")
                .containsEntry("compute.lowerBoundOverhead", "0.0")
                .containsEntry("compute.boundScope", "any-order")
                .containsEntry("memory.tighteningRounds", "0");
        Map<String, String> fields = json(plan("--json", "--effort", "quick", "--budget", "95%"));
        double overhead = Double.parseDouble(fields.get("compute.overhead"));
        assertThat(overhead).isPositive();
        assertThat(Double.parseDouble(fields.get("compute.lowerBoundOverhead"))).isBetween(0.0, overhead);
        assertThat(fields.get("compute.boundScope")).contains("order");
        assertThat(number(fields, "memory.arenaBytes")).isLessThanOrEqualTo(number(fields, "budgetBytes"));
        assertThat(plan("--effort", "quick", "--budget", "95%").out()).contains("for any plan within the budget");
    }

    @Test
    void aSearchThatEndsBeforeItBeginsKeepsEverythingOrSaysSo() throws IOException {
        assertThat(plan("--time-limit", "0.000000001", "--budget", "100%").exitCode())
                .isZero();
        CommandRun refused = plan("--time-limit", "0.000000001", "--budget", "95%");
        assertThat(refused.err().contains("ended by --time-limit")).isEqualTo(refused.exitCode() == 4);
    }

    @Test
    void aPlanFitsOneScreen() throws IOException {
        for (String[] how :
                List.of(new String[] {}, new String[] {"--strategy", "sqrt", "--costs", "unit"}, new String[] {
                    "--budget", "99%", "--effort", "quick"
                })) {
            CommandRun run = plan(how);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out().lines()).hasSizeLessThanOrEqualTo(25).allMatch(line -> line.length() <= 80);
            assertThat(run.out())
                    .contains("Tiny with B=4, T=16", "arena", "keeping all", "floor", "recomputed", "retained")
                    .contains("▼", "throughout", "peak at step ", "--verbose")
                    .doesNotContain("\u001b", "Layer");
        }
    }

    @Test
    void aPlanIsDrawnAsTheTerminalAllows() throws IOException {
        for (int columns : List.of(50, 80, 110)) {
            String drawn = onTerminal(columns, true);
            assertThat(drawn.lines()).hasSizeLessThanOrEqualTo(25).allMatch(line -> line.length() <= columns);
            assertThat(drawn).contains("▼", "█", "░");
            String plain = onTerminal(columns, false);
            assertThat(plain.lines().filter(line -> line.contains("|")))
                    .hasSize(8)
                    .allMatch(line -> line.chars().allMatch(character -> character < 128));
            assertThat(plain).doesNotContain("▼", "█", "░");
        }
        assertThat(onTerminal(110, true).lines()).anyMatch(line -> line.length() > 80);
    }

    private String onTerminal(int columns, boolean unicode) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Console console = Console.ofTerminal(out, new ByteArrayOutputStream(), columns, unicode);
        assertThat(RematCommand.run(console, "plan", TinyModels.text(folder), "--set", "B=4,T=16"))
                .isZero();
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void textNamesWhatPeopleLookFor() throws IOException {
        CommandRun run = plan("--strategy", "segments=3", "--verbose");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains("Tiny with B=4, T=16", "arena", "keeping all", "floor", "recomputed", "Retained", "Layer")
                .doesNotContain("\u001b");
    }

    @Test
    void plansForGpusWithoutOne() throws IOException {
        assertThat(json(plan("--json", "--target", "sm_90a"))).containsEntry("target", "sm_90a");
        CommandRun unknown = plan("--target", "sm_1");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.err()).contains("sm_90a");
    }

    /** 132 + 32 MiB, 8 for each thread, and 8 KiB for each kernel. */
    @Test
    void tellsWhatTheProcessTakesOnTheCpuAlone() throws IOException {
        Map<String, String> fields = json(plan("--json"));
        long kernels = Long.parseLong(fields.get("nodes.kernels"));
        long bytes = (164L + 8L * Runtime.getRuntime().availableProcessors()) << 20;
        assertThat(fields).containsEntry("memory.processBytes", String.valueOf(bytes + 8192 * kernels));
        assertThat(plan().out()).containsPattern("(?m)^ *process +[0-9.]+ MiB +beside the arena, where it runs here$");
        assertThat(plan("--verbose").out()).contains("beside the arena, where it runs here");
        assertThat(json(plan("--json", "--target", "sm_90a"))).containsEntry("memory.processBytes", "null");
        assertThat(plan("--target", "sm_90a").out()).doesNotContain("process");
    }

    @Test
    void dumpsEveryStage() throws IOException {
        Path dumps = folder.resolve("dumps");
        assertThat(plan("--dump-dir", dumps.toString()).exitCode()).isZero();
        assertThat(dumps.toFile().list()).hasSizeGreaterThan(5).anyMatch(name -> name.endsWith("-training.txt"));
    }

    @Test
    void aDumpReplacesAPlantedLinkAndFollowsTheUsersOwn() throws IOException {
        Path victim = Files.writeString(folder.resolve("victim"), "mine");
        assertThat(plan("--dump-dir", folder.resolve("first").toString()).exitCode())
                .isZero();
        Path dumps = Files.createDirectory(folder.resolve("dumps"));
        for (String name : folder.resolve("first").toFile().list()) {
            Files.createSymbolicLink(dumps.resolve(name), victim);
        }
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("elsewhere"));
        for (Path place : List.of(dumps, link)) {
            assertThat(plan("--dump-dir", place.toString()).exitCode()).isZero();
            assertThat(place.toFile().list())
                    .containsExactlyInAnyOrder(folder.resolve("first").toFile().list());
        }
        assertThat(victim).hasContent("mine");
        assertThat(folder.resolve("elsewhere")).isDirectory();
    }

    @Test
    void unknownSettingsAreModelErrors() throws IOException {
        CommandRun run = plan("--set", "widht=4");
        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err()).contains("widht", "did you mean 'width'?").doesNotContain("\tat ");
    }
}
