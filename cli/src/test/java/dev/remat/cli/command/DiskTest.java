package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Steps whose tensors wait on a disk. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class DiskTest {
    private static final String SETTINGS = "B=16,T=32,width=64,depth=4";
    private static final String LARGE = "B=2,T=8,width=256,depth=12";
    /** Fast enough for moving to pay beside kernels this small. */
    private static final List<String> RATES = List.of("--disk-budget", "1GiB", "--disk-rates", "20GB/s:20GB/s:1us");

    @TempDir
    Path folder;

    private Path disk;
    private String model;

    @BeforeEach
    void write() throws IOException {
        disk = Files.createDirectory(folder.resolve("disk"));
        model = TinyModels.text(folder);
    }

    @Test
    void trainingComesToTheSame() throws IOException {
        CommandRun still = train("--budget", "60%");
        Path log = folder.resolve("log");
        CommandRun moved = onDisk("train", "--budget", "60%", "--log", log.toString());
        assertThat(moved.exitCode()).as(moved.err()).isZero();
        assertThat(moved.err()).isEmpty();
        Map<String, String> plan =
                JsonFields.of(onDisk("plan", "--budget", "60%", "--json").out());
        assertThat(moved.out())
                .contains("\"moved\":{\"storedBytes\":" + plan.get("transfers.storeBytes") + ",\"fetchedBytes\":"
                        + plan.get("transfers.fetchBytes") + ",\"exposedMillis\":");
        assertThat(moved.out().lines().filter(line -> line.contains("\"step\":")))
                .allMatch(line -> line.contains("\"storedBytes\":" + plan.get("transfers.storeBytes") + ","));
        assertThat(still.out()).doesNotContain("moved");
        assertThat(Files.readString(log.resolve("steps.csv")))
                .contains("moved/stored_bytes,moved/fetched_bytes,moved/exposed_millis");
        assertThat(results(moved)).isNotEmpty().isEqualTo(results(still));
        assertThat(disk).isEmptyDirectory();
    }

    /** Parameters and moments that are more than the arena live on the disk, whether asked for or needed. */
    @Test
    void stateLivesOnTheDisk() throws IOException {
        CommandRun still = train("--set", LARGE);
        long state = 3L * 4 * (12 + 2) * 256 * 256;
        // No plan is proven to be impossible there, and none is found.
        String least = String.valueOf(bytes(run("plan", "--set", LARGE, "--json"), "floorBytes"));
        String half = String.valueOf(state / 2);
        for (String budget : List.of(least, half)) {
            CommandRun tooSmall = run("plan", "--set", LARGE, "--budget", budget);
            assertThat(tooSmall.exitCode()).isEqualTo(4);
        }
        for (List<String> options : List.of(
                List.of("--offload", "state"),
                List.of("--offload", "all", "--budget", "50%"),
                List.of("--budget", least),
                List.of("--budget", half))) {
            List<String> all = new ArrayList<>(List.of("--set", LARGE));
            all.addAll(options);
            CommandRun moved = onDisk("train", all.toArray(String[]::new));
            assertThat(moved.exitCode()).as(moved.err()).isZero();
            assertThat(results(moved)).isNotEmpty().isEqualTo(results(still));
            assertThat(bytes(moved, "arenaBytes")).isLessThan(bytes(still, "arenaBytes"));
        }
        assertThat(disk).isEmptyDirectory();
    }

    private static long bytes(CommandRun run, String field) {
        Matcher bytes = Pattern.compile("\"" + field + "\" ?: ?([0-9]+)").matcher(run.out());
        assertThat(bytes.find()).as(run.out()).isTrue();
        return Long.parseLong(bytes.group(1));
    }

    /** It is evaluated where it lives, and comes in every round where the batch is cut. */
    @Test
    void stateOnTheDiskIsEvaluatedAndReadInRounds() {
        for (String cut : List.of("1", "2")) {
            String[] asked = {"--set", LARGE, "--micro-batches", cut, "--eval-every", "1", "--offload", "state"};
            List<String> still = results(train(Arrays.copyOf(asked, asked.length - 2)));
            CommandRun moved = onDisk("train", asked);
            assertThat(results(moved)).as(moved.err()).isEqualTo(still).anyMatch(line -> line.contains("evalLoss"));
        }
    }

    @Test
    void explainSaysWhatLivesBelow() {
        assertThat(onDisk("explain", "--set", LARGE, "--offload", "state", "table.weight")
                        .out())
                .contains("lives below the arena, and comes for its readers and its update");
    }

    /** The way of a tensor, and what another plan does with it; a plan's JSON is as good as the plan. */
    @Test
    void explainAndDiffSayWhatMoves() throws IOException {
        CommandRun moving = onDisk("plan", "--json", "--strategy", "offload-activations");
        Matcher offloaded = Pattern.compile("(?s)\"offloaded\".*?\"value\" ?: ?\"([^\"]+)\"")
                .matcher(moving.out());
        assertThat(offloaded.find()).as(moving.out()).isTrue();
        String value = offloaded.group(1);
        assertThat(onDisk("explain", "--strategy", "offload-activations", value).out())
                .contains("moved below the arena and fetched for the backward pass")
                .containsPattern("moved +to the disk behind ")
                .containsPattern("[0-9] ms in lanes, of [0-9.]+ ms until it is read")
                .containsPattern("if kept +(no time|[0-9.]+ ms (less|more)) and (the same|a) peak")
                .contains("if dropped ");
        assertThat(run("explain", "--strategy", "keep-all", value).out())
                .doesNotContain("moved", "if kept", "in lanes")
                .contains("kept for the backward pass");

        String moved =
                Files.writeString(folder.resolve("moved.json"), moving.out()).toString();
        String still = Files.writeString(
                        folder.resolve("still.json"),
                        run("plan", "--json", "--strategy", "keep-all").out())
                .toString();
        assertThat(CommandRun.of("diff", still, moved).out()).containsPattern(Pattern.quote(value) + ".* kept +moved");
        assertThat(CommandRun.of("diff", moved, moved).out()).contains("Both keep and recompute the same tensors");
    }

    @Test
    void profileMeasuresLanesAloneAndBesideKernels() {
        List<String> host = List.of("--host-budget", "1GiB", "--host-rates", "20GB/s:20GB/s:1us");
        List<String> words = new ArrayList<>(List.of("--repeat", "1", "--warm-up", "0", "--budget", "60%"));
        words.addAll(host);
        assertThat(run("profile", words.toArray(String[]::new)).out())
                .contains("Lanes, in GB/s", "alone  both at once  beside kernels")
                .containsPattern("store to host( +[0-9.]+){3}")
                .containsPattern("kernels wait [0-9.]+ ms in a step");
    }

    /** Evaluations take turns with steps in one arena. */
    @Test
    void evaluationsComeToTheSame() {
        CommandRun still = train("--eval-every", "2");
        CommandRun moved = onDisk("train", "--eval-every", "2", "--offload", "activations");
        assertThat(moved.exitCode()).as(moved.err()).isZero();
        assertThat(results(moved)).isEqualTo(results(still)).anyMatch(line -> line.contains("evalLoss"));
    }

    /** Losses and the state's hash. */
    private static List<String> results(CommandRun run) {
        return run.out()
                .lines()
                .map(line -> line.replaceAll("\"(millis|arenaBytes|highWaterBytes|medianMillis)\":[0-9.]+,?", "")
                        .replaceAll("\"moved\":\\{[^}]*\\},", ""))
                .toList();
    }

    /** A lane is busy for the latency of each transfer and for its bytes at the rate. */
    @Test
    void plansSayWhatTheyMove() throws IOException {
        CommandRun text = onDisk("plan", "--budget", "60%");
        assertThat(text.out()).contains("  stored  ", "  on the disk  ", "  exposed  ", "  disk wear  ");
        assertThat(text.out().lines()).hasSizeLessThanOrEqualTo(25);
        CommandRun json = onDisk("plan", "--budget", "60%", "--json");
        Map<String, String> fields = JsonFields.of(json.out());
        long fetched = Long.parseLong(fields.get("transfers.fetchBytes"));
        long stored = Long.parseLong(fields.get("transfers.storeBytes"));
        long times = json.out()
                .lines()
                .filter(line -> line.contains("\"fetchedBefore\""))
                .count();
        assertThat(stored).isPositive().isLessThanOrEqualTo(fetched);
        assertThat(times).isPositive();
        assertThat(fields.get("transfers.lanes.name")).isEqualTo("fetch from disk");
        double nanos = 1e6 * Double.parseDouble(fields.get("transfers.lanes.busyMillis"));
        assertThat(nanos - (fetched / 20.0 + 1000 * times)).isBetween(-1.0, times + 1.0);
        assertThat(Long.parseLong(fields.get("transfers.diskBytes"))).isBetween(4096L, stored);
        assertThat(fields)
                .containsKeys(
                        "transfers.hostArenaBytes",
                        "transfers.exposedMillis",
                        "offloaded.value",
                        "offloaded.bytes",
                        "offloaded.at",
                        "offloaded.place",
                        "offloaded.storedAfter",
                        "offloaded.exposedMillis",
                        "offloaded.reason");
        CommandRun still = run("plan", "--budget", "60%", "--json");
        assertThat(JsonFields.of(still.out())).doesNotContainKeys("transfers.storeBytes", "offloaded.value");
    }

    /** Whatever is below, a step needs some memory; what the disk may take is told beside. */
    @Test
    void aBudgetThatNothingFitsNamesTheDisksToo() {
        CommandRun refused = onDisk("plan", "--budget", "1KiB", "--offload", "activations");
        assertThat(refused.exitCode()).isEqualTo(4);
        assertThat(refused.err())
                .contains("no plan fits 1024 bytes")
                .contains("of the disk below, plans may take 1073741824 bytes (1.00 GiB)")
                .contains("--disk-budget lets more leave the arena");
    }

    @Test
    void checkHoldsPlansThatMoveAgainstOthers() throws IOException {
        CommandRun run = onDisk("check", "--strategy", "offload-activations", "--budget", "85%");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .containsPattern("ok +offload-activations .* moved")
                .containsPattern("offload-activations within .* moved");
        assertThat(disk).isEmptyDirectory();
    }

    @Test
    void aPinNeedsMemoryBelow() throws IOException {
        model = TinyModels.write(folder, "pinned.model", """
            remat 1

            model Pinned {
              input x: f32[64, 64]

              h = offload linear(x, 64)
              loss = mean(linear(gelu(h), 64))
            }

            train {
              minimize loss
              optimizer sgd(lr = 0.1)
            }
            """);
        CommandRun refused = plainly("plan");
        assertThat(refused.exitCode()).isEqualTo(3);
        assertThat(refused.err())
                .contains(model + ":6:7: error[E0406]: 'h' cannot leave the arena: no memory lies below it")
                .contains("--disk DIR names a folder for it");
        CommandRun kept = plainly("plan", "--host-budget", "1MiB", "--host-rates", "1GB/s:1GB/s", "--offload", "state");
        assertThat(kept.exitCode()).isEqualTo(3);
        assertThat(kept.err()).contains("--offload state keeps it there");
        CommandRun planned = plainly("plan", "--host-budget", "1MiB", "--host-rates", "1GB/s:1GB/s", "--json");
        assertThat(planned.exitCode()).as(planned.err()).isZero();
        assertThat(JsonFields.of(planned.out()))
                .containsEntry("offloaded.value", "h")
                .containsEntry("offloaded.reason", "pin")
                .containsEntry("transfers.hostArenaBytes", "16384")
                .containsEntry("transfers.diskBytes", "0");
    }

    /** Where a loss is no number, the search for its source runs the step again from its beginning. */
    @Test
    void aLossThatIsNoNumberIsTracedToTheSameLine() throws IOException {
        model = TinyModels.write(folder, "overflowing.model", """
            remat 1

            model Overflowing {
              input x: f32[64, 64]

              param w: f32[64, 64] = ones
              h = exp(matmul(x, w))
              g = matmul(exp(30 * h * h), w)
              loss = mean(g * h)
            }

            train {
              minimize loss
              optimizer sgd(lr = 0.1)
            }
            """);
        CommandRun still = plainly("train", "--data", "synthetic", "--steps", "2");
        CommandRun moved = plainly(
                "train",
                "--data",
                "synthetic",
                "--steps",
                "2",
                "--disk",
                disk.toString(),
                "--disk-budget",
                "1GiB",
                "--disk-rates",
                "20GB/s:20GB/s:1us",
                "--offload",
                "activations");
        assertThat(still.exitCode()).as(still.err()).isEqualTo(7);
        assertThat(moved.exitCode()).as(moved.err()).isEqualTo(7);
        assertThat(moved.err()).isEqualTo(still.err());
    }

    private CommandRun plainly(String command, String... options) {
        List<String> all = new ArrayList<>(List.of(command, model));
        all.addAll(List.of(options));
        return CommandRun.of(all.toArray(String[]::new));
    }

    @Test
    void ratesAreMeasuredAndToldWhereNobodyGivesThem() {
        CommandRun run = run("plan", "--budget", "60%", "--disk", disk.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err())
                .containsPattern("remat: " + disk + " gives [0-9.]+ GiB of what is free and stores [0-9.]+ [MG]iB/s and"
                        + " fetches [0-9.]+ [MG]iB/s(, beside which kernels lose [0-9]+ us to a MB)?, as measured;"
                        + " --disk-budget [0-9]+ --disk-rates [0-9]+MB/s:[0-9]+MB/s:[0-9]+us(:[0-9]+us/MB)?"
                        + " plans the same again\n");
    }

    @Test
    void whatMovesNothingSaysSo() {
        CommandRun roomy = onDisk("plan");
        assertThat(roomy.exitCode()).isZero();
        assertThat(roomy.err()).contains("nothing is moved: the step fits as it is");
        CommandRun asked = onDisk("plan", "--budget", "100%", "--offload", "activations");
        assertThat(asked.exitCode()).isEqualTo(2);
        assertThat(asked.err()).contains("--offload activations moves nothing here");
        CommandRun none = onDisk("plan", "--offload", "none");
        assertThat(none.exitCode()).isZero();
        assertThat(none.err()).isEmpty();
    }

    @Test
    void optionsNeedEachOther() {
        assertRefused("--disk-budget needs --disk DIR", "--disk-budget", "1GiB");
        assertRefused("--disk-rates needs --disk DIR", "--disk-rates", "1GB/s:1GB/s");
        assertRefused("--host-rates needs --host-budget SIZE", "--host-rates", "1GB/s:1GB/s");
        assertRefused("--disk DIR names a folder for it", "--offload", "auto");
        assertRefused("'0B/s:1B/s' says no rates: rates must be above zero", "--disk-rates", "0B/s:1B/s");
        assertRefused("'everything' is not one of auto, activations, state, all, none", "--offload", "everything");
        assertRefused("a size above zero is expected", "--disk", ".", "--disk-budget", "0");
        assertRefused(
                "--costs unit has no times",
                "--disk",
                ".",
                "--disk-budget",
                "1",
                "--disk-rates",
                "1:1",
                "--costs",
                "unit");
        assertRefused(
                "needs --host-rates where the step runs on another machine",
                "--target",
                "sm_90a",
                "--host-budget",
                "1GiB");
    }

    @Test
    void foldersThatCannotBePlacesAreRefusedBeforeAnythingElse() {
        Path missing = folder.resolve("missing");
        assertThat(run("train", "--data", "synthetic", "--steps", "1", "--disk", missing.toString()))
                .satisfies(run -> assertThat(run.exitCode()).isEqualTo(2))
                .satisfies(run -> assertThat(run.err()).contains("--disk: there is no folder " + missing));
        if (Files.isDirectory(Path.of("/dev/shm"))) {
            assertThat(run("train", "--data", "synthetic", "--steps", "1", "--disk", "/dev/shm"))
                    .satisfies(run -> assertThat(run.exitCode()).isEqualTo(2))
                    .satisfies(run -> assertThat(run.err()).contains("/dev/shm lies in memory (tmpfs), not on a disk"));
        }
    }

    private void assertRefused(String message, String... options) {
        CommandRun run = run("plan", options);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
        assertThat(run.err()).contains(message);
        assertThat(run.out()).isEmpty();
    }

    private CommandRun train(String... options) {
        List<String> all = new ArrayList<>(List.of("--data", "synthetic", "--steps", "3", "--json"));
        all.addAll(List.of(options));
        return run("train", all.toArray(String[]::new));
    }

    private CommandRun onDisk(String command, String... options) {
        List<String> all = new ArrayList<>(List.of("--disk", disk.toString()));
        all.addAll(RATES);
        all.addAll(List.of(options));
        String[] given = all.toArray(String[]::new);
        return command.equals("train") ? train(given) : run(command, given);
    }

    private CommandRun run(String command, String... options) {
        List<String> all = new ArrayList<>(List.of(command, model, "--set", SETTINGS));
        if (!command.equals("build") && !command.equals("check")) {
            all.addAll(List.of("--effort", "quick"));
        }
        all.addAll(List.of(options));
        return CommandRun.of(all.toArray(String[]::new));
    }
}
