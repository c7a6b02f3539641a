package dev.remat.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.cli.command.RematCommand;
import dev.remat.cli.console.Console;
import dev.remat.runtime.checkpoint.RunFolder.Existing;
import dev.remat.runtime.log.RunLog;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code train --log} writes, as other readers see it. */
class TrainLogTest {
    private static final String MODEL = """
        remat 1

        model Two {
          input x: f32[4, 3]
          param a: f32[3] = ones
          param b: f32[3] = ones
          first = mean((x - a) * (x - a))
          second = mean((x + b) * (x + b))
          twice = 2 * first
          output twice
        }

        train {
          minimize first {
            parameters "a"
            optimizer sgd(lr = 0.5)
            schedule warmup(steps = 4)
          }
          minimize second {
            parameters "b"
            optimizer sgd(lr = 0.125)
          }
        }
        """;

    @TempDir
    Path folder;

    private Path log;
    private Path model;
    private int exit;
    private String out = "";
    private String err = "";

    @BeforeEach
    void prepare() throws IOException {
        log = folder.resolve("log");
        model = Files.writeString(folder.resolve("two.model"), MODEL);
    }

    private void run(String... more) {
        List<String> args = new ArrayList<>(List.of("train", model.toString(), "--data", "synthetic", "--json"));
        args.addAll(List.of(more));
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        ByteArrayOutputStream messages = new ByteArrayOutputStream();
        exit = RematCommand.run(new Console(data, messages, false, false), args.toArray(String[]::new));
        out = data.toString(StandardCharsets.UTF_8);
        err = messages.toString(StandardCharsets.UTF_8);
    }

    private void logged(String... more) {
        run(Stream.concat(Stream.of(more), Stream.of("--log", log.toString())).toArray(String[]::new));
    }

    private void done(String... more) {
        logged(more);
        assertThat(exit).as(err).isZero();
        boolean resumed = List.of(more).contains("--resume");
        assertThat(err).matches(resumed ? "remat: .*step \\d+.*\n" : "");
    }

    private List<String> printed(String field) {
        return Pattern.compile("\"" + field + "\":([^,}]+)")
                .matcher(out)
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(log)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static List<Long> until(long last) {
        return LongStream.rangeClosed(1, last).boxed().toList();
    }

    /** A check value that tables of check sums give: CRC-32/ISCSI of the digits from 1 to 9. */
    @Test
    void theReaderKnowsCheckSums() {
        assertThat(EventRecords.crc32c("123456789".getBytes(StandardCharsets.US_ASCII)))
                .isEqualTo(0xe3069283);
    }

    @Test
    void theReaderRefusesWhatIsDamaged() throws IOException {
        done("--steps", "2");
        Path file = EventRecords.files(log).getFirst();
        byte[] bytes = Files.readAllBytes(file);
        for (int at : List.of(0, 9, 20, bytes.length - 30, bytes.length - 1)) {
            bytes[at] ^= 1;
            Files.write(file, bytes);
            assertThatThrownBy(() -> EventRecords.read(file)).isInstanceOf(AssertionError.class);
            bytes[at] ^= 1;
        }
        Files.write(file, bytes);
        assertThat(EventRecords.read(file)).hasSize(3);
        Files.write(file, java.util.Arrays.copyOf(bytes, bytes.length - 1));
        assertThatThrownBy(() -> EventRecords.read(file)).isInstanceOf(AssertionError.class);
    }

    @Test
    void tableEventsAndLinesTellTheSame() throws IOException {
        done("--steps", "6", "--eval-every", "3");
        LogTable table = LogTable.read(log);
        assertThat(table.columns())
                .containsExactly(
                        "step",
                        "loss",
                        "output/twice",
                        "loss/second",
                        "rate/a",
                        "rate/b",
                        "millis",
                        "memory/arena_bytes",
                        "memory/high_water_bytes",
                        "eval/loss",
                        "eval/output/twice",
                        "eval/loss/second");
        assertThat(table.steps()).isEqualTo(until(6));
        assertThat(table.column("loss")).isEqualTo(printed("loss"));
        assertThat(table.column("output/twice").subList(0, 2))
                .isEqualTo(printed("twice").subList(0, 2));
        assertThat(table.column("memory/arena_bytes")).isEqualTo(printed("arenaBytes"));
        assertThat(table.column("eval/loss").stream().filter(field -> !field.isEmpty()))
                .isEqualTo(printed("evalLoss"));
        assertThat(table.column("eval/loss").subList(0, 3))
                .startsWith("", "", printed("evalLoss").getFirst());
        assertThat(table.column("rate/a")).containsExactly("0.125", "0.25", "0.375", "0.5", "0.5", "0.5");
        assertThat(table.column("rate/b")).containsOnly("0.125");

        SortedMap<String, SortedMap<Long, Float>> shown = EventRecords.shown(log);
        assertThat(shown.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        table.columns().subList(1, table.columns().size()));
        for (String tag : shown.keySet()) {
            for (int row = 0; row < 6; row++) {
                String field = table.column(tag).get(row);
                Float point = shown.get(tag).get(row + 1L);
                assertThat(point).as(tag).isEqualTo(field.isEmpty() ? null : Float.valueOf(field));
            }
        }
    }

    @Test
    void oneRateHasNoParametersName() throws IOException {
        Files.writeString(
                model, MODEL.replace("    schedule warmup(steps = 4)\n", "").replace("0.5)", "0.125)"));
        done("--steps", "1");
        assertThat(LogTable.read(log).column("rate")).containsExactly("0.125");
    }

    /** Kernels find the rate where each optimizer wants it, alone or beside a flag and factors. */
    @ParameterizedTest
    @ValueSource(
            strings = {"sgd", "adam", "adamw", "nadam", "radam", "adamax", "lion", "rmsprop", "adagrad", "adafactor"})
    void theRateOfEveryOptimizerIsLogged(String optimizer) throws IOException {
        Files.writeString(model, """
            remat 1

            model One {
              input x: f32[2, 3]
              param a: f32[3] = ones
              loss = mean((x - a) * (x - a))
            }

            train {
              minimize loss
              optimizer %s(lr = 0.25, clip_norm = 1.0)
              schedule linear(steps = 4)
            }
            """.formatted(optimizer));
        for (String precision : List.of("f32", "f16")) {
            run("--steps", "2", "--log", log.toString(), "--precision", precision, "--overwrite");
            assertThat(exit).as(err).isZero();
            assertThat(LogTable.read(log).column("rate")).containsExactly("0.1875", "0.125");
        }
    }

    @Test
    void scalesOfLossesAreLogged() throws IOException {
        done("--steps", "2", "--precision", "f16");
        LogTable table = LogTable.read(log);
        assertThat(table.column("scaling/scale")).isEqualTo(printed("lossScale"));
        assertThat(table.column("scaling/skipped_so_far")).isEqualTo(printed("skippedSoFar"));
        assertThat(table.column("scaling/skipped"))
                .isEqualTo(printed("skipped").stream()
                        .map(skipped -> skipped.equals("true") ? "1" : "0")
                        .toList());
    }

    @Test
    void aLogChangesNoBits() throws IOException {
        run("--steps", "3");
        List<String> without = printed("stateHash");
        done("--steps", "3");
        assertThat(printed("stateHash")).isEqualTo(without).hasSize(1);
        assertThat(names()).hasSize(3).contains("steps.plan.json");
    }

    /** From the checkpoint of step 3 the run goes on twice, to 6 and to 5, as after a kill that left three steps. */
    @Test
    void aResumedRunGoesOnBehindItsStep() throws IOException {
        String run = folder.resolve("run").toString();
        done("--steps", "3", "--save", run);
        done("--steps", "6", "--resume", run, "--eval-every", "2");
        assertThat(LogTable.read(log).steps()).isEqualTo(until(6));
        done("--steps", "5", "--resume", run);
        LogTable table = LogTable.read(log);
        assertThat(table.steps()).isEqualTo(until(5));
        assertThat(table.column("eval/loss")).containsOnly("");
        SortedMap<String, SortedMap<Long, Float>> shown = EventRecords.shown(log);
        assertThat(shown.get("loss").keySet()).containsExactlyElementsOf(until(5));
        assertThat(shown.get("eval/loss")).isEmpty();
        assertThat(EventRecords.files(log)).hasSize(3);
        run("--steps", "5");
        assertThat(table.column("loss")).isEqualTo(printed("loss"));

        List<String> before = names();
        done("--steps", "3", "--resume", run);
        assertThat(names()).as("without a step nothing changes").isEqualTo(before);
        assertThat(LogTable.read(log)).isEqualTo(table);
    }

    @Test
    void aLineThatAPowerCutHasTornGoes() throws IOException {
        String run = folder.resolve("run").toString();
        done("--steps", "2", "--save", run);
        Path table = log.resolve("steps.csv");
        Files.writeString(table, Files.readString(table) + "3,0.");
        done("--steps", "4", "--resume", run);
        assertThat(LogTable.read(log).steps()).isEqualTo(until(4));
    }

    @Test
    void anotherRunsLogIsKeptUntilOverwriteIsAsked() throws IOException {
        done("--steps", "3");
        List<String> before = names();
        String table = Files.readString(log.resolve("steps.csv"));
        logged("--steps", "1");
        assertThat(exit).isEqualTo(2);
        assertThat(out).isEmpty();
        assertThat(err)
                .isEqualTo("remat: " + log + ": holds the log of a run up to step 3; go on with that by --resume, log"
                        + " to another folder, or replace it with --overwrite\n");
        assertThat(names()).isEqualTo(before);
        assertThat(log.resolve("steps.csv")).hasContent(table);
        done("--steps", "1", "--overwrite");
        assertThat(LogTable.read(log).steps()).isEqualTo(until(1));
        assertThat(EventRecords.shown(log).get("loss").keySet()).containsExactly(1L);
        assertThat(names()).hasSize(3);
    }

    @Test
    void filesOfOthersStay() throws IOException {
        Files.createDirectories(log);
        List<String> mine = List.of(
                "events.out.tfevents.1700000000.host.7.0",
                "events.out.tfevents.17.remat",
                "notes.txt",
                "steps.csv.old");
        for (String name : mine) {
            Files.writeString(log.resolve(name), "mine");
        }
        done("--steps", "2");
        done("--steps", "2", "--overwrite");
        assertThat(names()).containsAll(mine).hasSize(mine.size() + 3);
        for (String name : mine) {
            assertThat(log.resolve(name)).hasContent("mine");
        }
    }

    @Test
    void aTableOfSomethingElseIsNeverReplaced() throws IOException {
        Files.createDirectories(log);
        Path table = Files.writeString(log.resolve("steps.csv"), "walker,steps\nme,9\n");
        logged("--steps", "1", "--overwrite");
        assertThat(exit).isEqualTo(2);
        assertThat(err)
                .isEqualTo("remat: " + table + ": is no log of remat and would be replaced; log to another folder\n");
        assertThat(table).hasContent("walker,steps\nme,9\n");
        assertThat(names()).containsExactly("steps.csv");
        Files.writeString(table, "step,loss\n1,0.5\nme,9\n");
        logged("--steps", "1", "--overwrite");
        assertThat(exit).isEqualTo(8);
        assertThat(err).isEqualTo("remat: " + table + ": line 3 is no step of a log\n");
        assertThat(names()).containsExactly("steps.csv");
    }

    @Test
    void aFileIsNoFolderToLogTo() throws IOException {
        Files.writeString(log, "mine");
        logged("--steps", "1");
        assertThat(exit).isEqualTo(2);
        assertThat(err).isEqualTo("remat: " + log + ": is a file, not a folder\n");
        assertThat(log).hasContent("mine");
    }

    @Test
    void aRunThatStopsBeforeItsFirstStepLeavesNothing() {
        logged("--steps", "1", "--budget", "1");
        assertThat(exit).isEqualTo(4);
        assertThat(log).doesNotExist();
    }

    @Test
    void oneRunAFolderButLogAndCheckpointsTogether() throws IOException {
        try (RunLog first = RunLog.open(log, Existing.KEEP, "remat train other.model")) {
            logged("--steps", "1");
            assertThat(exit).isEqualTo(2);
            assertThat(err)
                    .isEqualTo("remat: " + log + ": another run of this process logs here; wait until it has ended, or"
                            + " log to another folder\n");
            assertThat(first.isExclusive()).isTrue();
        }
        assertThat(log).doesNotExist();
        done("--steps", "1", "--save", log.toString());
        assertThat(names()).hasSize(5).contains("meta.json", "steps.csv");
        done("--steps", "2", "--save", log.toString(), "--resume", log.toString());
        assertThat(LogTable.read(log).steps()).isEqualTo(until(2));
    }
}
