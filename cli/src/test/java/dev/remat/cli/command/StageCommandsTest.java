package dev.remat.cli.command;

import static dev.remat.cli.command.TinyModels.run;
import static dev.remat.cli.command.TinyModels.state;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code --stages} and {@code --schedule}. */
@Tag("slow")
class StageCommandsTest {
    @TempDir
    Path folder;

    private String tiny;

    @BeforeEach
    void write() throws IOException {
        tiny = TinyModels.text(folder);
    }

    /** Saved by one number of stages, gone on with by another. */
    @Test
    void checkpointsDoNotKnowOfStages() {
        String whole = state(run("train", tiny, "--micro-batches", "4", "--steps", "4"));
        String saved = folder.resolve("saved").toString();
        state(run("train", tiny, "--micro-batches", "4", "--stages", "2", "--steps", "2", "--save", saved));
        String[] several = "--stages 2 --ranks 2 --shard parameters".split(" ");
        for (String[] other : new String[][] {{}, {"--stages", "3", "--schedule", "gpipe"}, several}) {
            String[] all = Stream.concat(Arrays.stream(other), Stream.of("--resume", saved, "--steps", "4"))
                    .toArray(String[]::new);
            assertThat(state(run("train", tiny, all))).isEqualTo(whole);
        }
    }

    /** Whose values are of the parameters between two steps, and end in the same log. */
    @Test
    void evaluationsAreThoseOfOneStage() throws IOException {
        List<String> whole = logged();
        assertThat(whole).hasSize(5).anyMatch(line -> line.contains("eval"));
        assertThat(logged("--stages", "2")).isEqualTo(whole);
        assertThat(logged("--stages", "2", "--ranks", "2", "--shard", "parameters"))
                .isEqualTo(whole);
    }

    /** Without times and memory. */
    private List<String> logged(String... options) throws IOException {
        String log = folder.resolve("log").toString();
        String[] all = Stream.concat(
                        Arrays.stream(options),
                        Stream.of("--micro-batches 4 --steps 4 --eval-every 2 --overwrite --log".split(" ")))
                .toArray(String[]::new);
        state(run(
                "train", tiny, Stream.concat(Arrays.stream(all), Stream.of(log)).toArray(String[]::new)));
        List<String> lines = Files.readAllLines(Path.of(log, "steps.csv"));
        List<String> columns = List.of(lines.getFirst().split(",", -1));
        return lines.stream()
                .map(line -> List.of(line.split(",", -1)))
                .map(cells -> IntStream.range(0, columns.size())
                        .filter(k -> !columns.get(k).matches("millis|memory/.*"))
                        .mapToObj(cells::get)
                        .collect(Collectors.joining(",")))
                .toList();
    }

    @Test
    void aLossThatIsNotANumberStopsAllBeforeAnythingIsUpdated() throws IOException {
        Path model = Files.writeString(folder.resolve("diverging.model"), """
            remat 1
            model Diverging {
              symbol B
              input x: f32[B, 4]
              h = linear(x, 4) as one |> tanh
              y = linear(h, 4) as two
              loss = mean(log(y - 100))
            }
            train {
              minimize loss
              optimizer sgd(lr = 0.1)
            }
            """);
        for (String ranks : new String[] {"1", "2"}) {
            String saved = folder.resolve("saved" + ranks).toString();
            String words = " --set B=8 --data synthetic --steps 3 --micro-batches 4 --stages 2 --ranks " + ranks;
            CommandRun stopped = CommandRun.of(("train " + model + words + " --save " + saved).split(" "));
            assertThat(stopped.exitCode()).as(stopped.err()).isEqualTo(7);
            assertThat(stopped.err()).contains("loss", "step 1").doesNotContain("internal error");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "plan,  '--passes-html plan.html'",
        "plan,  '--html plan.html --what-if 4'",
        "plan,  '--chunks 4'",
        "train, '--chunks 4 --steps 1'",
        "train, '--micro-batches auto --budget 1MiB --steps 1'"
    })
    void whatDoesNotGoWithThemIsRefused(String command, String options) {
        String[] words = ("--stages 2 " + options).split(" ");
        CommandRun refused = run(command, tiny, words);
        assertThat(refused.exitCode()).as(refused.err()).isEqualTo(2);
        assertThat(refused.err()).contains("--stages");
    }

    @Test
    void modesOfStagesAreRefusedWithoutStages() {
        CommandRun refused = run("plan", tiny, "--micro-batches", "4", "--strategy", "pipe-except-last");
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("pipe-except-last says what stages compute again; it needs --stages");
    }

    @Test
    void blocksAndAutomaticChunksGoWithThem() {
        assertThat(run("plan", tiny, "--stages", "2", "--chunks", "auto").exitCode())
                .isZero();
        assertThat(run("plan", tiny, "--stages", "2", "--chunks", "off").exitCode())
                .isZero();
    }

    @Test
    void morePartsThanThereAreAreRefused() {
        CommandRun refused = run("plan", tiny, "--stages", "50", "--micro-batches", "4");
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("parts at most").doesNotContain("fewer than 50 stages");
    }

    @Test
    void marksOfStagesAreObeyedAndNoPartOfTheModel() throws IOException {
        String text = Files.readString(Path.of(tiny));
        String marked = Files.writeString(
                        folder.resolve("marked.model"), text.replace("  repeat depth {", "  stage\n  repeat depth {"))
                .toString();
        CommandRun refused = run("plan", marked, "--stages", "3", "--micro-batches", "4");
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err())
                .contains("2 parts at most where it says 'stage', and --stages asks for 3", "more marks, or none");
        assertThat(run("plan", tiny, "--stages", "3", "--micro-batches", "4").exitCode())
                .isZero();

        String whole = state(run("train", tiny, "--micro-batches", "4", "--steps", "4"));
        String saved = folder.resolve("saved").toString();
        state(run("train", tiny, "--micro-batches", "4", "--steps", "2", "--save", saved));
        assertThat(state(run("train", marked, "--stages", "2", "--resume", saved, "--steps", "4")))
                .isEqualTo(whole);
    }

    /** The table has 256 rows of 8 numbers of 4 bytes. */
    @Test
    void gradientsThatAreSentForEveryMicroBatchAreTold() throws IOException {
        String tied =
                Files.readString(Path.of(tiny)).replace("linear(x, 256)", "linear(x, 256, weight = table.weight)");
        String note =
                "several stages read table.weight, whose gradients, 8.00 KiB, are sent for each of 4 micro-batches";
        assertThat(planned("tied", tied)).contains(note, "'sums by_use' in train sends them once");
        assertThat(planned("once", tied.replace("minimize loss", "minimize loss; sums by_use")))
                .doesNotContain("table.weight");
        assertThat(planned("frozen", tied.replace("minimize loss", "minimize loss; freeze \"table.weight\"")))
                .doesNotContain("table.weight");
        assertThat(planned("apart", Files.readString(Path.of(tiny)))).doesNotContain("table.weight");
    }

    private String planned(String name, String text) throws IOException {
        String model = Files.writeString(folder.resolve(name + ".model"), text).toString();
        CommandRun plan = run("plan", model, "--stages", "2", "--micro-batches", "4");
        assertThat(plan.exitCode()).as(plan.err()).isZero();
        return plan.err();
    }

    @Test
    void modesAreReportedBesideEachOther() {
        CommandRun plan = run("plan", tiny, "--stages", "2", "--micro-batches", "4", "--strategy", "sqrt");
        assertThat(plan.out())
                .containsSubsequence("1f1b", "sqrt", "1f1b", "pipe-never", "pipe-except-last", "pipe-always");
        CommandRun json = run("plan", tiny, "--stages", "2", "--micro-batches", "4", "--json");
        assertThat(json.exitCode()).as(json.err()).isZero();
        assertThat(json.out()).contains("remat-stages/1", "\"bubble\"", "\"arenaBytes\"", "\"pipe-always\"");
    }

    /** Kernels take what the report says, visits are those of the schedule, and both ends of a message end at once. */
    @Test
    void tracesHaveTracksForEachStage() throws IOException {
        Path trace = folder.resolve("trace.json");
        CommandRun plan = run(
                "plan",
                tiny,
                "--stages",
                "2",
                "--micro-batches",
                "4",
                "--json",
                "--link",
                "1Gbit",
                "--trace",
                trace.toString());
        assertThat(plan.exitCode()).as(plan.err()).isZero();
        List<Double> busy = Pattern.compile("\"busy\"\\s*:\\s*([0-9]+)")
                .matcher(plan.out())
                .results()
                .map(found -> Double.parseDouble(found.group(1)) / 1e3)
                .toList();
        List<Map<String, String>> slices = TraceEvents.read(trace).stream()
                .filter(event -> event.get("ph").equals("X"))
                .toList();
        String visit = "(forward|backward) [0-3]";
        for (int stage = 0; stage < 2; stage++) {
            String process = String.valueOf(stage + 1);
            List<Map<String, String>> own = slices.stream()
                    .filter(event ->
                            event.get("pid").equals(process) && event.get("tid").equals("1"))
                    .toList();
            double kernels = own.stream()
                    .filter(event -> !event.get("name").matches(visit + "|waits for .*"))
                    .mapToDouble(event -> Double.parseDouble(event.get("dur")))
                    .sum();
            assertThat(kernels).isCloseTo(busy.get(stage), within(1e-3));
            assertThat(own.stream().map(event -> event.get("name")).filter(name -> name.matches(visit)))
                    .contains("forward 0", "forward 1", "forward 2", "forward 3")
                    .contains("backward 0", "backward 1", "backward 2", "backward 3");
        }
        Map<String, Double> sent = ends(slices, " to [01]$");
        assertThat(sent).isNotEmpty().isEqualTo(ends(slices, " from [01]$"));
    }

    /** By message. */
    private static Map<String, Double> ends(List<Map<String, String>> slices, String end) {
        return slices.stream()
                .filter(event -> event.get("name").matches(".*" + end))
                .collect(Collectors.toMap(
                        event -> event.get("name").replaceAll(end, ""),
                        event -> Math.rint(
                                1e3 * (Double.parseDouble(event.get("ts")) + Double.parseDouble(event.get("dur"))))));
    }

    /** By itself never slower than what is asked for by hand. */
    @Test
    void autoTakesTheFastestSchedule() {
        CommandRun chosen = run("plan", tiny, "--stages", "2", "--micro-batches", "4", "--schedule", "auto", "--json");
        assertThat(chosen.exitCode()).as(chosen.err()).isZero();
        assertThat(chosen.err()).contains("--schedule auto takes ");
        long auto = cost(chosen);
        for (String schedule : new String[] {"gpipe", "zb", "interleaved=2"}) {
            String[] options = ("--stages 2 --micro-batches 4 --json --schedule " + schedule).split(" ");
            CommandRun given = run("plan", tiny, options);
            assertThat(given.exitCode()).as(given.err()).isZero();
            assertThat(auto).as(schedule).isLessThanOrEqualTo(cost(given));
        }
    }

    /** On a link so slow that a step takes at least as long as the exchanges of any stage, one behind the other. */
    @Test
    void whatRanksExchangeTakesTime() {
        String[] options = "--stages 2 --ranks 2 --micro-batches 4 --json".split(" ");
        String[] slow = Stream.concat(Arrays.stream(options), Stream.of("--link", "1Mbit"))
                .toArray(String[]::new);
        CommandRun plan = run("plan", tiny, slow);
        assertThat(plan.exitCode()).as(plan.err()).isZero();
        List<Long> exchanged = numbers(plan, "exchangedBytes");
        assertThat(exchanged).hasSize(2).allMatch(bytes -> bytes > 0);
        assertThat(cost(plan)).isGreaterThanOrEqualTo(8_000 * Collections.max(exchanged));
        List<Long> waited = numbers(plan, "waited");
        List<Long> forRanks = numbers(plan, "waitedForRanks");
        assertThat(forRanks).allMatch(nanos -> nanos > 0);
        // Behind the two sums stand the single waits.
        assertThat(waited.get(0)).isGreaterThanOrEqualTo(forRanks.get(0));
        assertThat(run("plan", tiny, "--stages", "2", "--micro-batches", "4", "--json")
                        .out())
                .doesNotContain("exchangedBytes", "waitedForRanks");
    }

    /** The stage that ends last computes, waits or loses time to messages all through the step. */
    @Test
    void whatKernelsLoseToMessagesIsTold() {
        String options = "--stages 2 --micro-batches 4 --link 1Gbit:0us:800us/MB";
        CommandRun plan = run("plan", tiny, options.split(" "));
        assertThat(plan.exitCode()).as(plan.err()).isZero();
        assertThat(plan.out())
                .containsPattern("kernels [0-9.]+ ms, lost to what is moved beside them [0-9.]+ ms, waits");
        CommandRun json = run("plan", tiny, (options + " --json").split(" "));
        String number = "\\s*:\\s*(\\d+)";
        List<Long> spent = Pattern.compile(
                        "\"busy\"" + number + ",\\s*\"interference\"" + number + ",\\s*\"waited\"" + number)
                .matcher(json.out())
                .results()
                .map(each ->
                        Long.parseLong(each.group(1)) + Long.parseLong(each.group(2)) + Long.parseLong(each.group(3)))
                .toList();
        assertThat(spent).hasSize(2);
        assertThat(cost(json)).isEqualTo(Collections.max(spent));
        assertThat(numbers(json, "interference")).allMatch(nanos -> nanos > 0);
        assertThat(run("plan", tiny, "--stages", "2", "--micro-batches", "4", "--link", "1Gbit")
                        .out())
                .contains("kernels ")
                .doesNotContain("lost to");
    }

    /** By itself never slower than what is asked for by hand, and to the same bits. */
    @Test
    void autoTakesTheFastestLevel() {
        String options = "--stages 2 --ranks 2 --micro-batches 4 --shard ";
        String[] auto = (options + "auto --link 100Mbit:10us --json").split(" ");
        CommandRun chosen = run("plan", tiny, auto);
        assertThat(chosen.exitCode()).as(chosen.err()).isZero();
        assertThat(chosen.err()).containsPattern("--shard auto takes (none|optimizer|parameters)");
        for (String level : new String[] {"none", "optimizer", "parameters"}) {
            CommandRun given = run("plan", tiny, (options + level + " --link 100Mbit:10us --json").split(" "));
            assertThat(given.exitCode()).as(given.err()).isZero();
            assertThat(cost(chosen)).as(level).isLessThanOrEqualTo(cost(given));
        }
        assertThat(state(run("train", tiny, (options + "auto --steps 2").split(" "))))
                .isEqualTo(state(run("train", tiny, "--micro-batches", "4", "--steps", "2")));
    }

    private static List<Long> numbers(CommandRun json, String field) {
        return Pattern.compile("\"" + field + "\"\\s*:\\s*([0-9]+)")
                .matcher(json.out())
                .results()
                .map(found -> Long.parseLong(found.group(1)))
                .toList();
    }

    /** Of the step, which stands before those of its modes. */
    private static long cost(CommandRun json) {
        Matcher cost = Pattern.compile("\"cost\"\\s*:\\s*([0-9]+)").matcher(json.out());
        assertThat(cost.find()).isTrue();
        return Long.parseLong(cost.group(1));
    }

    @Test
    void everyLevelOfSharesIsCheckedInStages() {
        String words = "--micro-batches 4 --stages 1,2 --ranks 2 --shard auto --strategy keep-all --steps 1";
        CommandRun check = run("check", tiny, words.split(" "));
        assertThat(check.exitCode()).as(check.out() + check.err()).isZero();
        for (String level : new String[] {" sharing optimizer", " sharing parameters", ""}) {
            assertThat(check.out())
                    .containsPattern("keep-all in 2 stages by 1f1b on 2 ranks" + level
                            + " +[0-9]+ .*(same bits|the same plan as)");
        }
    }

    @Test
    void checkHoldsStagesAgainstOne() {
        CommandRun check = run(
                "check",
                tiny,
                "--micro-batches",
                "4",
                "--stages",
                "1,2,3",
                "--schedule",
                "1f1b,gpipe",
                "--steps",
                "1",
                "--strategy",
                "pipe-always");
        assertThat(check.exitCode()).as(check.err()).isZero();
        assertThat(check.out())
                .contains(
                        "pipe-always in 2 stages by 1f1b",
                        "pipe-always in 2 stages by gpipe",
                        "pipe-always in 3 stages by gpipe")
                .doesNotContain("other bits");
        assertThat(run("check", tiny, "--schedule", "gpipe").err()).contains("--schedule orders the work of stages");
    }

    @Test
    void fewerMicroBatchesThanStagesAreToldAndNotRefused() {
        CommandRun told = run("plan", tiny, "--stages", "3", "--micro-batches", "2");
        assertThat(told.exitCode()).as(told.err()).isZero();
        assertThat(told.err()).contains("2 micro-batches are fewer than 3 stages");
        assertThat(run("plan", tiny, "--stages", "2", "--micro-batches", "2").err())
                .doesNotContain("fewer than");
    }

    @Test
    void whatEachStageNeedsIsTold() {
        CommandRun refused = run("plan", tiny, "--stages", "2", "--micro-batches", "4", "--budget", "1KiB");
        assertThat(refused.exitCode()).isEqualTo(4);
        assertThat(refused.err()).containsPattern("each stage needs at least, by number: [0-9.]+ KiB, [0-9.]+ KiB");
    }
}
