package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChunksCommandTest {
    private static final String HEAD = "loss = cross_entropy(linear(x, 2057, bias = false) as head, labels)";

    @TempDir
    Path folder;

    private String model(String body) throws IOException {
        return Files.writeString(folder.resolve("m.model"), """
            remat 1

            model M {
              symbol B
              input x: f32[B, 8]
              input labels: i32[B]
              %s
            }

            train { minimize loss; optimizer sgd(lr = 0.1) }
            """.formatted(body)).toString();
    }

    /** 1,024 rows are four runs of 256, so that 3 chunks have 256, 256 and 512. */
    @Test
    void plansTellWhatExistsAChunkAtATime() throws IOException {
        String model = model(HEAD);
        CommandRun whole = CommandRun.of("plan", model, "--set", "B=1024", "--json");
        assertThat(whole.out()).doesNotContain("\"chunks\"");
        CommandRun run = CommandRun.of("plan", model, "--set", "B=1024", "--chunks", "3");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains("chunks       4.02 MiB  at a time of 8.04 MiB, in 3 chunks of rows: head.matmul");
        CommandRun json = CommandRun.of("plan", model, "--set", "B=1024", "--chunks", "3", "--json");
        assertThat(json.out().replaceAll("\\s", ""))
                .contains("\"chunks\":[{\"name\":\"head.matmul\",\"at\":\"" + model
                        + ":7:10\",\"rows\":1024,\"count\":3," + "\"bytes\":4212736,\"wholeBytes\":8425472}]");
        assertThat(CommandRun.of("plan", model, "--set", "B=1024", "--chunks", "3", "--verbose")
                        .out())
                .contains("in 3 chunks of rows: head.matmul");
    }

    @Test
    void aBlockAsksForThemAndOffForNone() throws IOException {
        String model = model("chunks 2 { " + HEAD + " }");
        String[] plan = {"plan", model, "--set", "B=1024"};
        assertThat(CommandRun.of(plan).out()).contains("in 2 chunks of rows");
        assertThat(CommandRun.of("plan", model, "--set", "B=1024", "--chunks", "off")
                        .out())
                .doesNotContain("chunks of rows");
        assertThat(CommandRun.of("plan", model, "--set", "B=1024", "--chunks", "4")
                        .out())
                .contains("in 4 chunks of rows");
        assertThat(CommandRun.of(plan).err()).doesNotContain("stay whole");
        CommandRun few = CommandRun.of("plan", model, "--set", "B=256");
        assertThat(few.out()).doesNotContain("chunks of rows");
        assertThat(few.err()).contains("2 chunks are asked for, but no loss has more rows");
        assertThat(CommandRun.of("plan", model, "--set", "B=256", "--chunks", "3")
                        .err())
                .contains("3 chunks are asked for");
        assertThat(CommandRun.of("plan", model, "--set", "B=257").out()).contains("in 2 chunks of rows");
    }

    /** With a bias, whose gradient is a sum over rows that no kernel goes on with. */
    @Test
    void whatCannotBeCutIsRefusedWithItsPlace() throws IOException {
        String model = model("chunks 2 { loss = cross_entropy(linear(x, 2057) as head, labels) }");
        CommandRun block = CommandRun.of("plan", model, "--set", "B=1024");
        assertThat(block.exitCode()).isEqualTo(3);
        assertThat(block.err())
                .contains("m.model:7:3", "E0505", "this loss cannot be computed in chunks of rows")
                .contains("reduce_sum of 'head.reduce_sum' is not computed a chunk of rows at a time");
        assertThat(CommandRun.of("plan", model, "--set", "B=1024", "--chunks", "2")
                        .exitCode())
                .isEqualTo(3);
        assertThat(CommandRun.of("plan", model, "--set", "B=1024", "--chunks", "off")
                        .exitCode())
                .isZero();
        CommandRun without = CommandRun.of(
                "plan",
                model("loss = mean(linear(x, 3) ** 2) + 0.0 * sum(cast(labels, f32))"),
                "--set",
                "B=4",
                "--chunks",
                "2");
        assertThat(without.exitCode()).isEqualTo(3);
        assertThat(without.err()).contains("E0505", "no loss of this model is computed in chunks");
        CommandRun word = CommandRun.of("plan", model, "--set", "B=4", "--chunks", "some");
        assertThat(word.exitCode()).isEqualTo(2);
        assertThat(word.err()).contains("'some' is neither auto, off nor a number of chunks");
        assertThat(CommandRun.of("plan", model, "--set", "B=4", "--chunks", "0").err())
                .contains("'0' is neither auto, off nor a number of chunks");
    }

    /** Whatever a row needs of the others; without being asked for, nothing is cut. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "batch_norm(l); norm",
                "l - sum(l, axis = 0); reduce_sum of",
                "l + amax(l, axis = 0); reduce_max of",
                "cumsum(l, axis = 0); m.model:8:35",
                "l * mean(l); reduce_mean of"
            })
    void whatNeedsAllRowsIsRefusedWhereItIsWritten(String logits, String reason) throws IOException {
        String model =
                model("l = linear(x, 2057, bias = false)\n  chunks 2 { loss = cross_entropy(" + logits + ", labels) }");
        CommandRun refused = CommandRun.of("plan", model, "--set", "B=1024");
        assertThat(refused.exitCode()).isEqualTo(3);
        assertThat(refused.err()).contains("m.model:8:3: error[E0505]", reason);
        CommandRun whole = CommandRun.of("plan", model, "--set", "B=1024", "--chunks", "off");
        assertThat(whole.exitCode()).as(whole.err()).isZero();
    }

    @Test
    void aRunGoesOnWithOtherChunksAndItsEvaluationsFit() throws IOException {
        String model = Files.writeString(folder.resolve("text.model"), """
            remat 1

            model Text {
              symbol B, T
              input tokens: i32[B, T]
              input targets: i32[B, T]
              h = embedding(tokens, 2057, 8) as table |> linear(8) |> gelu
              loss = cross_entropy(linear(h, 2057, weight = table.weight, bias = false), targets)
            }

            train { minimize loss; optimizer adamw(lr = 0.01, clip_norm = 1.0) }
            """).toString();
        String text = Files.writeString(folder.resolve("text.txt"), "to be or not to be ".repeat(400))
                .toString();
        List<String> lines = new ArrayList<>();
        for (List<String> chunks : List.of(List.of("off", "off"), List.of("2", "3"))) {
            String run = folder.resolve("run" + lines.size()).toString();
            for (int steps = 1; steps <= 2; steps++) {
                List<String> asked = new ArrayList<>(List.of("train", model, "--text", text, "--set", "B=12,T=64"));
                asked.addAll(List.of("--json", "--eval-every", "1", "--eval-batches", "1", "--steps", "" + steps));
                asked.addAll(List.of("--chunks", chunks.get(steps - 1), steps == 1 ? "--save" : "--resume", run));
                CommandRun trained = CommandRun.of(asked.toArray(String[]::new));
                assertThat(trained.exitCode()).as(trained.err()).isZero();
                assertThat(folder.resolve(run).resolve("meta.json")).content().doesNotContain("chunk");
                lines.add(trained.out().replaceAll("\"(millis|tokensPerSecond|\\w+Bytes)\":[^,}]*", ""));
            }
        }
        assertThat(lines.get(0)).contains("evalLoss");
        assertThat(lines.subList(2, 4)).isEqualTo(lines.subList(0, 2));
    }

    /** Of 1,024 rows 8 chunks come to four, so that there are three ways to cut the loss, and one within 6 MB. */
    @Test
    void chunksAreHeldAgainstWholeLosses() throws IOException {
        String model = model(HEAD);
        CommandRun run = check(model, "B=1024", "--chunks", "2,4,8,auto", "--budget", "6MB");
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.out().replaceAll(" +", " "))
                .contains("keep-all within 6000000 finds no plan", "ok keep-all in 2 chunks", "ok keep-all in 4 chunks")
                .containsPattern("ok auto within 6000000, chunks auto in \\d+ chunks .* same bits")
                .doesNotContain("in 8 chunks", "other bits");
        assertThat(check(model, "B=1024", "--chunks", "2", "--budget", "1MB").exitCode())
                .isEqualTo(4);
        CommandRun few = check(model, "B=256", "--chunks", "2");
        assertThat(few.err()).contains("2 chunks are asked for");
        assertThat(few.out()).doesNotContain("chunks");
        assertThat(check(model, "B=1024").out()).doesNotContain("chunks");
    }

    private static CommandRun check(String model, String size, String... more) {
        List<String> words =
                new ArrayList<>(List.of("check", model, "--set", size, "--strategy", "keep-all", "--steps", "1"));
        words.addAll(List.of(more));
        return CommandRun.of(words.toArray(String[]::new));
    }

    @Test
    void drawsForLogitsAreInTheWay() throws IOException {
        String drawn = "loss = cross_entropy(dropout(linear(x, 2057, bias = false), 0.1), labels)";
        CommandRun run = CommandRun.of("plan", model(drawn), "--set", "B=1024", "--chunks", "2");
        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err())
                .contains("E0505", "draws random numbers for all rows in one go")
                .contains("what draws before the product that makes them is not in the way");
        String before = "loss = cross_entropy(linear(dropout(x, 0.1), 2057, bias = false), labels)";
        assertThat(CommandRun.of("plan", model(before), "--set", "B=1024", "--chunks", "2")
                        .out())
                .contains("in 2 chunks of rows");
    }

    /** Whole losses have a floor of their logits, which half of what keeping all takes is below. */
    @Test
    void sweepsAreOfOneNumberOrOfThoseThatBudgetsTake() throws IOException {
        String model = model(HEAD);
        Map<String, String> whole = sweep(model, "--chunks", "off");
        Map<String, String> cut = sweep(model, "--chunks", "4");
        assertThat(whole).containsEntry("budgets.plans.by", "null");
        assertThat(cut).containsEntry("chunks.count", "4");
        assertThat(floor(cut)).isLessThan(floor(whole) / 2);
        Map<String, String> auto = sweep(model);
        assertThat(auto.get("budgets.plans.by")).matches("(sqrt|keep-all) in [24] chunks");
        assertThat(auto)
                .containsEntry("keepAllBytes", whole.get("keepAllBytes"))
                .doesNotContainKey("chunks.count");
        assertThat(floor(auto)).isLessThan(floor(whole));
        assertThat(Double.parseDouble(auto.get("budgets.plans.overhead"))).isPositive();
        assertThat(sweep(model, "--chunks", "auto")).containsEntry("floorBytes", auto.get("floorBytes"));
    }

    private static long floor(Map<String, String> sweep) {
        return Long.parseLong(sweep.get("floorBytes"));
    }

    private static Map<String, String> sweep(String model, String... more) throws IOException {
        List<String> words = new ArrayList<>(
                List.of("sweep", model, "--set", "B=1024", "--strategies", "sqrt", "--budgets", "60%", "--json"));
        words.addAll(List.of(more));
        CommandRun run = CommandRun.of(words.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return JsonFields.of(run.out());
    }

    /** What is said of other cuts is what {@code plan} says when they are asked for. */
    @Test
    void aRefusalTellsWhatWouldDoIfMoreWereCut() throws IOException {
        String model = model(HEAD);
        CommandRun refused = CommandRun.of("plan", model, "--set", "B=1024", "--budget", "1MB", "--chunks", "off");
        assertThat(refused.exitCode()).isEqualTo(4);
        Matcher cut =
                Pattern.compile("with (--\\S+) (\\d+) it would be (\\d+) bytes").matcher(refused.err());
        List<String> options = new ArrayList<>();
        while (cut.find()) {
            options.add(cut.group(1));
            Map<String, String> plan =
                    JsonFields.of(CommandRun.of("plan", model, "--set", "B=1024", "--json", cut.group(1), cut.group(2))
                            .out());
            assertThat(plan).containsEntry("memory.floorBytes", cut.group(3));
        }
        assertThat(options).containsExactly("--chunks", "--micro-batches");
        String lone = model("loss = mean(linear(x, 3) ** 2) + 0.0 * sum(cast(labels, f32))");
        assertThat(CommandRun.of("plan", lone, "--set", "B=1", "--budget", "100B")
                        .err())
                .contains("no plan at all needs less")
                .doesNotContain("it would be");
    }

    @Test
    void explainSaysOfWhatAChunkIsOne() throws IOException {
        String model = model(HEAD);
        String[] explain = {"explain", model, "", "--set", "B=1024", "--chunks", "4"};
        for (String value : List.of("cross_entropy_grad.2", "head.matmul", "head.matmul.3")) {
            explain[2] = value;
            CommandRun run = CommandRun.of(explain);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out().replaceAll("\\s+", " "))
                    .contains("chunk of 2.01 MiB at a time of 8.04 MiB, in 4 chunks of rows: head.matmul;"
                            + " a step of whole losses needs at least 8.20 MiB, this one");
        }
        explain[2] = "x";
        assertThat(CommandRun.of(explain).out()).doesNotContain("at a time");
    }
}
