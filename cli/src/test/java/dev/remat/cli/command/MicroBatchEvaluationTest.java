package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is held against models that are cut, and evaluated beside them. */
class MicroBatchEvaluationTest {
    @TempDir
    Path folder;

    private Path model(String body) throws IOException {
        return Files.writeString(folder.resolve("m.model"), """
            remat 1

            model M {
              symbol B
              input x: f32[B, 4]
              input labels: i32[B]
              %s
            }

            train { minimize loss; optimizer sgd(lr = 0.1) }
            """.formatted(body));
    }

    /** Batch norms of micro-batches and elements that are dropped by rows, in a cut graph and its differences alike. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "loss = cross_entropy(linear(dropout(batch_norm(linear(x, 6)), 0.3), 3), labels)",
                "h = linear(dropout(x, 0.3), 3)\n  loss = mean((h - stop_gradient(2 * h + 1)) ** 2)",
                "h = batch_norm(linear(x, 3))\n  loss = mean((h - stop_gradient(2 * h + 1)) ** 2)"
            })
    void gradientsThatAddUpAgreeWithDifferences(String body) throws IOException {
        CommandRun run = CommandRun.of(
                "check",
                model(body).toString(),
                "--set",
                "B=6",
                "--micro-batches",
                "3",
                "--strategy",
                "sqrt",
                "--steps",
                "2");
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).containsPattern("ok  gradients  (\\d+) of \\1 parameters agree");
        boolean whole = body.contains("batch_norm") && body.contains("stop");
        assertThat(run.err().contains("with the batch whole")).isEqualTo(whole);
    }

    private Map<String, String> trained(Path model, String... more) throws IOException {
        List<String> args = new ArrayList<>(List.of(
                "train",
                model.toString(),
                "--set",
                "B=8",
                "--data",
                "synthetic",
                "--steps",
                "1",
                "--eval-every",
                "1",
                "--eval-batches",
                "3",
                "--json"));
        args.addAll(List.of(more));
        CommandRun run = CommandRun.of(args.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return JsonFields.of(run.out().lines().findFirst().orElseThrow());
    }

    /** Means over rows, what needs a count of the whole batch first, and what is one. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "loss = cross_entropy(linear(x, 3), labels) | evalLoss",
                "loss = sum(linear(x, 1) ** 2) | evalLoss",
                "loss = cross_entropy(linear(x, 3), labels, ignore_index = 1) | evalLoss",
                "h = linear(x, 3); loss = cross_entropy(h, labels); twos = sum(cast(labels == 2, i32)); output twos"
                        + " | evalOutputs.twos"
            })
    void anEvaluationMeansWhatItDoesOfWholeBatches(String body, String field) throws IOException {
        Path model = model(body.replace("; ", "\n  "));
        double whole = Double.parseDouble(trained(model).get(field));
        double cut = Double.parseDouble(trained(model, "--micro-batches", "4").get(field));
        assertThat(cut).isCloseTo(whole, Offset.offset(1e-5 * Math.abs(whole)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"mean(linear(h, 3) ** 2)", "cross_entropy(linear(h, 3), labels)"})
    void anEvaluationFitsWhereItsStepFits(String loss) throws IOException {
        Path model = model("h = x\n  repeat 3 { h = gelu(linear(h, 64)) }\n  loss = " + loss);
        String[] large = {"--set", "B=4096", "--micro-batches", "64"};
        CommandRun plan = CommandRun.of("plan", model.toString(), large[0], large[1], large[2], large[3], "--json");
        String arena = JsonFields.of(plan.out()).get("memory.arenaBytes");
        assertThat(trained(model, large[0], large[1], large[2], large[3], "--budget", arena))
                .containsKey("evalLoss");
    }
}
