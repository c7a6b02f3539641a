package dev.remat.cli.command;

import static dev.remat.cli.command.TinyModels.run;
import static dev.remat.cli.command.TinyModels.state;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code --ranks W}, by every command that takes it. */
@Tag("slow")
class RankCommandsTest {
    @TempDir
    Path folder;

    private String tiny;

    @BeforeEach
    void write() throws IOException {
        tiny = TinyModels.text(folder);
    }

    @Test
    void trainsToTheSameBitsOnAnyNumber() {
        String alone = state(run("train", tiny, "--micro-batches", "4", "--steps", "3"));
        for (String ranks : List.of("1", "2", "4")) {
            CommandRun run = run("train", tiny, "--micro-batches", "4", "--steps", "3", "--ranks", ranks);
            assertThat(state(run)).as("%s ranks", ranks).isEqualTo(alone);
            assertThat(run.out())
                    .contains(ranks.equals("1") ? ", of which" : " on each of " + ranks + " ranks, of which");
        }
    }

    /** Saved on four, evaluated on the way, and gone on with on two. */
    @Test
    void goesOnWithAnotherNumber() {
        String alone = state(run("train", tiny, "--micro-batches", "4", "--steps", "4"));
        String saved = folder.resolve("run").toString();
        CommandRun begun = run("train", tiny, "--micro-batches", "4", "--steps", "2", "--ranks", "4", "--save", saved);
        assertThat(begun.exitCode()).as(begun.err()).isZero();
        CommandRun gone = run("train", tiny, "--resume", saved, "--steps", "4", "--ranks", "2", "--eval-every", "1");
        assertThat(state(gone)).isEqualTo(alone);
        assertThat(gone.err()).contains("micro_batches is 4").doesNotContain("is cut into");
    }

    /** What a rank moves below its arena is its own. */
    @Test
    void ranksHaveMemoryBelow() {
        String[] moving = {
            "--micro-batches",
            "4",
            "--steps",
            "2",
            "--offload",
            "all",
            "--host-budget",
            "64MiB",
            "--host-rates",
            "27862MB/s:11063MB/s:1us:78us/MB"
        };
        List<String> onTwo = new ArrayList<>(List.of(moving));
        onTwo.addAll(List.of("--ranks", "2"));
        CommandRun alone = run("train", tiny, moving);
        assertThat(state(run("train", tiny, onTwo.toArray(String[]::new)))).isEqualTo(state(alone));
    }

    @Test
    void aWholeBatchIsCutOnceForEach() {
        CommandRun run = run("train", tiny, "--steps", "2", "--ranks", "2");
        assertThat(state(run)).isEqualTo(state(run("train", tiny, "--micro-batches", "2", "--steps", "2")));
        assertThat(run.err()).contains("the batch is cut into 2 micro-batches, one a rank");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--micro-batches 8 --ranks 6 | --ranks 6 does not divide 8 micro-batches; 1, 2, 4, 8 do",
                "--micro-batches 1 --ranks 2 | --ranks 2 does not divide 1 micro-batches; 1 does",
                "--micro-batches 8 --ranks 0 | it counts from 1, not 0",
                "--micro-batches auto --ranks 2 | --micro-batches takes that here, not auto",
                "--micro-batches 8 --micro-batch-order breadth --ranks 2 | --micro-batch-order breadth has none of",
            })
    void whatDoesNotSuitIsMisuse(String options, String message) {
        for (String command : List.of("plan", "train", "check")) {
            List<String> words = new ArrayList<>(List.of(options.split(" ")));
            if (command.equals("train")) {
                words.addAll(List.of("--steps", "1"));
            }
            CommandRun run = run(command, tiny, words.toArray(String[]::new));
            assertThat(run.exitCode()).as("%s: %s", command, run.err()).isEqualTo(2);
            assertThat(run.err()).contains(message);
        }
    }

    @Test
    void whatCannotBeCutHasNoRanks() throws IOException {
        String whole = Files.writeString(folder.resolve("whole.model"), """
            remat 1
            model Whole {
              symbol B, T
              input x: f32[B, T]
              param w: f32[T] = ones
              loss = sqrt(mean((x * w) ** 2))
            }
            train { minimize loss; optimizer sgd(lr = 0.1) }
            """).toString();
        CommandRun run = run("train", whole, "--steps", "1", "--ranks", "2");
        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err()).contains("error[E0501]", "takes the root of a mean over the batch");
    }

    @Test
    void checkHoldsAllNumbersAgainstOne() throws IOException {
        CommandRun run =
                run("check", tiny, "--micro-batches", "4", "--ranks", "1,2,4", "--strategy", "peak-priority", "--json");
        assertThat(run.exitCode()).as(run.out()).isZero();
        Map<String, String> fields = JsonFields.of(run.out());
        assertThat(fields).containsEntry("differ", "0").containsEntry("ok", "true");
        assertThat(run.out()).contains("keep-all on 2 ranks", "peak-priority on 4 ranks");
    }

    @Test
    void oneRankIsPlannedAsEver() throws IOException {
        String[] cut = {"--micro-batches", "4", "--json"};
        Map<String, String> without = JsonFields.of(run("plan", tiny, cut).out());
        Map<String, String> with = JsonFields.of(run("plan", tiny, "--micro-batches", "4", "--json", "--ranks", "1")
                .out());
        assertThat(with.get("planHash")).isNotNull().isEqualTo(without.get("planHash"));
    }

    private static final String SQUARE = """
        remat 1
        model Square {
          symbol B
          input x: f32[B, 256]
          param w: f32[256, 256] = ones
          loss = mean((x @ w) ** 2)
        }
        train { minimize loss; optimizer sgd(lr = 0.1) }
        """;

    /**
     * Of 256 KiB three quarters are scattered in each of two rounds and gathered once; four bytes of loss go to three
     * others in each round. Five exchanges of three messages each, 10 us a message, at a gigabyte a second.
     */
    @Test
    void tellsWhatIsSentAndHowLongThatTakes() throws IOException {
        String square =
                Files.writeString(folder.resolve("square.model"), SQUARE).toString();
        CommandRun run = CommandRun.of(
                "plan",
                square,
                "--set",
                "B=8",
                "--micro-batches",
                "8",
                "--ranks",
                "4",
                "--link",
                "8Gbit:10us",
                "--json");
        assertThat(run.exitCode()).as(run.err()).isZero();
        long whole = 256L * 256 * 4;
        Map<String, String> ranks = JsonFields.of(run.out());
        assertThat(ranks)
                .containsEntry("ranks.count", "4")
                .containsEntry("ranks.microBatchesEach", "2")
                .containsEntry("ranks.exchanges", "5")
                .containsEntry("ranks.scatterBytes", String.valueOf(2 * whole * 3 / 4))
                .containsEntry("ranks.gatherBytes", String.valueOf(whole * 3 / 4 + 2 * 3 * 4));
        double taken = 5 * 3 * 0.01 + (3 * whole * 3 / 4 + 24) / 1e6;
        assertThat(Double.parseDouble(ranks.get("ranks.exchangeMillis"))).isCloseTo(taken, within(1e-9));
        double exposed = Double.parseDouble(ranks.get("ranks.exposedMillis"));
        assertThat(exposed).isBetween(0.0, taken);
        double step = Double.parseDouble(ranks.get("ranks.stepMillis"));
        assertThat(step - exposed)
                .isPositive()
                .isLessThanOrEqualTo(Double.parseDouble(ranks.get("compute.estimatedMillis")));
        assertThat(Double.parseDouble(ranks.get("ranks.efficiency"))).isCloseTo(1 - exposed / step, within(1e-9));
    }

    /** 192 KiB of one gradient in each of two rounds: three messages of 10 us, and a byte a nanosecond. */
    @Test
    void explainsWhereAParameterTravels() throws IOException {
        String square =
                Files.writeString(folder.resolve("square.model"), SQUARE).toString();
        String[] words = {
            "explain",
            square,
            "w",
            "--set",
            "B=8",
            "--micro-batches",
            "8",
            "--ranks",
            "4",
            "--link",
            "8Gbit:10us",
            "--shard",
            "none"
        };
        CommandRun text = CommandRun.of(words);
        assertThat(text.exitCode()).as(text.err()).isZero();
        assertThat(text.out().replaceAll("\\s+", " "))
                .contains("scattered.w: each rank gets its share of grad.w, 192 KiB a rank, 2 times a step leaves at")
                .contains("gathered.w: all ranks get accumulated.w, 192 KiB a rank leaves at")
                .contains("awaited in front of step", "on its way 0.23 ms from", "kernels wait 0.23 ms");
        List<String> json = new ArrayList<>(List.of(words));
        json.add("--json");
        Map<String, String> fields =
                JsonFields.of(CommandRun.of(json.toArray(String[]::new)).out());
        assertThat(fields)
                .containsEntry("values.exchanges.value", "gathered.w")
                .containsEntry("values.exchanges.exchange", "gather")
                .containsEntry("values.exchanges.sends", "accumulated.w")
                .containsEntry("values.exchanges.bytes", String.valueOf(192 << 10))
                .containsEntry("values.exchanges.times", "1");
        double begin = Double.parseDouble(fields.get("values.exchanges.beginMillis"));
        double end = Double.parseDouble(fields.get("values.exchanges.endMillis"));
        assertThat(end - begin).isCloseTo(0.03 + (192 << 10) / 1e6, within(1e-9));
        assertThat(Double.parseDouble(fields.get("values.exchanges.exposedMillis")))
                .isBetween(0.0, end - begin);
    }

    @Test
    void explainsBucketsAndWhatIsNotExchanged() {
        String[] ranks = {"--micro-batches", "4", "--ranks", "2"};
        CommandRun bucket = explain(ranks, "gathered.bucket.1");
        assertThat(bucket.out().replaceAll("\\s+", " "))
                .contains("exchanged gathered.bucket.1: all ranks get bucket.1, which is grad.", "more, ")
                .doesNotContain("kernels wait");
        assertThat(explain(ranks, "tokens").out()).doesNotContain("exchanged");
        assertThat(explain(new String[] {"--micro-batches", "4"}, "grad.out.weight")
                        .out())
                .doesNotContain("exchanged");
    }

    /** What comes whole again is the parameter that each rank has updated its share of. */
    @Test
    void explainsSharesOfParameters() throws IOException {
        String square = Files.writeString(folder.resolve("shared.model"), SQUARE.replace("sgd", "adamw"))
                .toString();
        CommandRun run = CommandRun.of(
                "explain", square, "w", "--set", "B=8", "--micro-batches", "4", "--ranks", "2", "--shard", "optimizer");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out().replaceAll("\\s+", " "))
                .contains("scattered.w: each rank gets its share of grad.w, 128 KiB a rank, 2 times a step")
                .contains("gathered.own.w: all ranks get ", "128 KiB a rank leaves at step");
    }

    private CommandRun explain(String[] options, String value) {
        List<String> words = new ArrayList<>(List.of("explain", tiny, value, "--set", "B=8,T=16"));
        words.addAll(List.of(options));
        CommandRun run = CommandRun.of(words.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run;
    }

    /** Each of two rounds has its scatter on a track behind those of kernels, and the updates have the gather. */
    @Test
    void aTraceHasALaneOfExchanges() throws IOException {
        String square =
                Files.writeString(folder.resolve("square.model"), SQUARE).toString();
        Path trace = folder.resolve("trace.json");
        CommandRun run = CommandRun.of(
                "plan",
                square,
                "--set",
                "B=8",
                "--micro-batches",
                "8",
                "--ranks",
                "4",
                "--link",
                "8Gbit:10us",
                "--shard",
                "none",
                "--trace",
                trace.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        List<String> found = new ArrayList<>();
        Matcher slices = Pattern.compile("\"name\":\"((?:scattered|gathered)[^\"]*)\",\"cat\":\"([a-z]+)\",\"pid\":1,"
                        + "\"tid\":(\\d+),[^}]*\"awaited by\":\"[^\"]+\",\"waited us\":")
                .matcher(Files.readString(trace));
        while (slices.find()) {
            assertThat(slices.group(2)).isEqualTo("exchange");
            assertThat(slices.group(3)).isEqualTo("3");
            found.add(slices.group(1));
        }
        assertThat(Files.readString(trace)).contains("{\"name\":\"exchanges\"}");
        assertThat(found)
                .containsExactlyInAnyOrder(
                        "scattered.w", "gathered.loss", "scattered.w", "gathered.loss", "gathered.w");
    }

    @Test
    void saysInWordsWhatRanksHoldAndSend() {
        CommandRun run = run("plan", tiny, "--micro-batches", "4", "--ranks", "2", "--link", "100Gbit:5us");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains("2 ranks, each with 2 of 4 micro-batches", "each holds  ", "each sends  ", "efficiency ");
        assertThat(run("plan", tiny, "--micro-batches", "4").out()).doesNotContain("each sends");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "fast | 'fast' is not a size",
                "0Gbit | the rate must be above zero",
                "999999999Tbit | '999999999Tbit' is too large",
                "10Gbit:5 | '5' is not a time such as 10us",
                "10Gbit:5us:3us/MB:4 | RATE:LATENCY:INTERFERENCE is expected",
                "10Gbit:5us:3us | '3us' is not a time for bytes such as 60ms/GB",
                "10Xbit | says no link",
            })
    void aLinkThatCannotBeReadIsMisuse(String link, String message) {
        CommandRun run = run("plan", tiny, "--ranks", "2", "--link", link);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
        assertThat(run.err()).contains("--link", message);
    }

    @Test
    void aLinkNeedsRanks() {
        CommandRun run = run("plan", tiny, "--link", "10Gbit");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--link is about what ranks exchange; it needs --ranks");
    }
}
