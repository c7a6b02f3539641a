package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiffCommandTest {
    @TempDir
    Path folder;

    private static CommandRun diff(String a, String b, String... more) {
        List<String> words = new ArrayList<>(List.of("diff", a, b, "--set", "B=4,T=16"));
        words.addAll(List.of(more));
        return CommandRun.of(words.toArray(String[]::new));
    }

    private String planned(String name, String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of("plan", TinyModels.text(folder), "--set", "B=4,T=16", "--json"));
        words.addAll(List.of(more));
        CommandRun run = CommandRun.of(words.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return Files.writeString(folder.resolve(name), run.out()).toString();
    }

    @Test
    void twoPlansStandSideBySide() throws IOException {
        String model = TinyModels.text(folder);
        CommandRun run = diff(model, model + "@sqrt", "--set", "depth=8");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains("by keep-all", "by sqrt", "live at the peak", "recomputed", "A alone keeps ", "\nand ")
                .doesNotContain("the models differ");
        assertThat(run.out().lines()).allMatch(line -> line.length() <= 80);
        assertThat(diff(model, model + "@sqrt", "--set", "depth=8", "--full").out())
                .hasSizeGreaterThan(run.out().length())
                .doesNotContain("\nand ");
    }

    @Test
    void equalPlansDoNotDiffer() throws IOException {
        String model = TinyModels.text(folder);
        assertThat(diff(model, model + "@100%", "--effort", "quick").out())
                .contains("Both keep and recompute the same tensors");
    }

    @Test
    void titlesTellHowABatchIsCut() throws IOException {
        String whole = planned("whole.json");
        Path model = Path.of(TinyModels.text(folder));
        Files.writeString(model, Files.readString(model).replace("minimize loss", "minimize loss; micro_batches 2"));
        CommandRun plan = CommandRun.of("plan", model.toString(), "--set", "B=4,T=16");
        assertThat(plan.out())
                .startsWith("Tiny with B=4, T=16 in 2 micro-batches of 2 rows, planned for cpu by keep-all\n");
        CommandRun json = CommandRun.of("plan", model.toString(), "--set", "B=4,T=16", "--json");
        String cut = Files.writeString(folder.resolve("cut.json"), json.out()).toString();
        assertThat(JsonFields.of(json.out())).containsEntry("microBatches", "2");
        assertThat(JsonFields.of(Files.readString(Path.of(whole)))).doesNotContainKey("microBatches");
        assertThat(diff(whole, cut).out())
                .contains("A  Tiny with B=4, T=16, planned", "B  Tiny with B=4, T=16 in 2 micro-batches, planned");
        assertThat(JsonFields.of(diff(whole, cut, "--json").out()))
                .containsEntry("b.microBatches", "2")
                .doesNotContainKey("a.microBatches");
    }

    @Test
    void aPlansJsonIsAsGoodAsThePlan() throws IOException {
        String model = TinyModels.text(folder);
        String fromFiles = diff(planned("a.json"), planned("b.json", "--strategy", "sqrt"), "--json")
                .out();
        String unpriced = diff(model, model + "@sqrt", "--json")
                .out()
                .replaceAll("(?s),\\s*\"if(Kept|Dropped)\" ?: ?(null|\\{[^}]*\\})", "");
        assertThat(fromFiles).isEqualTo(unpriced);
        Map<String, String> plan = JsonFields.of(Files.readString(folder.resolve("b.json")));
        Map<String, String> fields = JsonFields.of(fromFiles);
        assertThat(fields).containsEntry("schema", "remat-diff/1");
        for (String field : List.of("arenaBytes", "peakLiveBytes", "parameterBytes", "workspaceBytesAtPeak")) {
            assertThat(fields).containsEntry("b." + field, plan.get("memory." + field));
        }
        assertThat(fields)
                .containsEntry("b.overhead", plan.get("compute.overhead"))
                .containsEntry("b.kernels", plan.get("nodes.kernels"));
        assertThat(fields.keySet())
                .contains(
                        "changes.value",
                        "changes.bytes",
                        "changes.millis",
                        "sums.keptOnlyInA.bytes",
                        "sums.keptOnlyInB.tensors",
                        "sums.recomputeMillis");
        double more = Double.parseDouble(fields.get("b.estimatedMillis"))
                - Double.parseDouble(fields.get("a.estimatedMillis"));
        assertThat(Double.parseDouble(fields.get("sums.recomputeMillis"))).isCloseTo(more, within(1e-9));
    }

    @Test
    void mistakesAreToldApart() throws IOException {
        String model = TinyModels.text(folder);
        String other = Files.writeString(folder.resolve("x.json"), "{\"schema\":\"remat-fit/1\"}")
                .toString();
        CommandRun corrupt = diff(other, model);
        assertThat(corrupt.exitCode()).isEqualTo(8);
        assertThat(corrupt.err())
                .contains("x.json is not what 'remat plan --json' prints", "remat-fit/1")
                .doesNotContain("\tat ");
        String less = Files.writeString(folder.resolve("y.json"), "{\"schema\":\"remat-plan/1\"}")
                .toString();
        assertThat(diff(less, model).exitCode()).isEqualTo(8);
        assertThat(diff(folder.resolve("none.json").toString(), model).exitCode())
                .isEqualTo(CommandRun.of("plan", folder.resolve("none.model").toString())
                        .exitCode());
        CommandRun neither = diff(model + "@sqr", model);
        assertThat(neither.exitCode()).isEqualTo(2);
        assertThat(neither.err()).contains("'sqr' after @ is neither a strategy nor a budget");
        CommandRun artifact = diff(folder.toString(), model);
        assertThat(artifact.exitCode()).isEqualTo(8);
        assertThat(artifact.err()).contains("is no artifact");
        assertThat(diff(model, model + "@1KiB", "--effort", "quick").exitCode()).isEqualTo(4);
        assertThat(CommandRun.of("diff", model, model).exitCode()).isEqualTo(2);
    }
}
