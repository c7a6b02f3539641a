package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExplainCommandTest {
    private static final String[] HEAD = {
        "schema", "model", "symbols.B", "symbols.T", "target", "strategy", "budgetBytes", "costModel", "steps"
    };

    @TempDir
    Path folder;

    private CommandRun explain(String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of("explain", TinyModels.text(folder), "--set", "B=4,T=16"));
        words.addAll(List.of(more));
        return CommandRun.of(words.toArray(String[]::new));
    }

    private Map<String, String> json(String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of(more));
        words.add("--json");
        CommandRun run = explain(words.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return JsonFields.of(run.out());
    }

    private static List<String> fields(String group, String... names) {
        List<String> fields = new ArrayList<>(List.of(HEAD));
        for (String name : names) {
            fields.add(group + "." + name);
        }
        return fields;
    }

    @Test
    void aValueHasTheDocumentedFields() throws IOException {
        Map<String, String> value = json("x.2", "--strategy", "sqrt");
        assertThat(value).containsEntry("schema", "remat-explain/1").containsEntry("values.value", "x.2");
        assertThat(explain("x.2", "--strategy", "sqrt", "--json").out()).contains("\"shape\"", "\"runs\"", "\"added\"");
        assertThat(value.keySet())
                .containsExactlyElementsOf(fields(
                        "values",
                        "value",
                        "dtype",
                        "bytes",
                        "at",
                        "scope",
                        "phase",
                        "op",
                        "cost",
                        "millis",
                        "state",
                        "storage",
                        "reason",
                        "recomputations",
                        "consumers.value",
                        "consumers.op",
                        "consumers.phase",
                        "consumers.at",
                        "stays.first",
                        "stays.last",
                        "stays.offset",
                        "stays.bytes",
                        "stays.kind",
                        "stays.again",
                        "price.change",
                        "price.peakBytes",
                        "price.cost",
                        "price.millis",
                        "price.fitsBudget"));
    }

    @Test
    void saysWhetherTheBudgetAllowsTheOtherDecision() throws IOException {
        assertThat(json("x.2")).containsEntry("values.price.fitsBudget", "null");
        Map<String, String> loose = json("x.2", "--budget", "100%");
        assertThat(loose).containsEntry("values.price.change", "drop").containsEntry("values.price.fitsBudget", "true");
        Map<String, String> tight = json("--peak", "--budget", "95%", "--effort", "quick");
        assertThat(Long.parseLong(tight.get("peak.plannedBytes")))
                .isLessThanOrEqualTo(Long.parseLong(tight.get("budgetBytes")));
        CommandRun plan = CommandRun.of(
                "plan", TinyModels.text(folder), "--set", "B=4,T=16", "--budget", "95%", "--effort", "quick", "--json");
        String again = JsonFields.of(plan.out()).get("recomputed.value");
        Map<String, String> kept = json(again, "--budget", "95%", "--effort", "quick");
        assertThat(kept).containsEntry("values.state", "recomputed").containsEntry("values.price.change", "keep");
        long peak = Long.parseLong(tight.get("peak.plannedBytes")) + Long.parseLong(kept.get("values.price.peakBytes"));
        assertThat(kept.get("values.price.fitsBudget"))
                .isEqualTo(String.valueOf(peak <= Long.parseLong(kept.get("budgetBytes"))));
        assertThat(explain(again, "--budget", "95%", "--effort", "quick").out()).contains(" the budget\n");
    }

    @Test
    void thePeakIsThatOfThePlan() throws IOException {
        Map<String, String> plan =
                JsonFields.of(CommandRun.of("plan", TinyModels.text(folder), "--set", "B=4,T=16", "--json")
                        .out());
        Map<String, String> peak = json("--peak");
        assertThat(peak).containsEntry("peak.liveBytes", plan.get("memory.peakLiveBytes"));
        assertThat(peak).containsEntry("peak.live.parameter", plan.get("memory.parameterBytes"));
        assertThat(peak).containsEntry("peak.live.optimizer", plan.get("memory.optimizerBytes"));
        assertThat(peak.keySet()).contains("peak.tensors.value", "peak.reliefs.value", "peak.reliefs.peakBytes");
        CommandRun text = explain("--peak");
        assertThat(text.exitCode()).isZero();
        assertThat(text.out()).contains("Peak of ", "What would lower it", "drop ");
    }

    @Test
    void aStepTellsWhatIsLiveAndWhatDies() throws IOException {
        Map<String, String> step = json("--step", "0");
        assertThat(step).containsEntry("step.index", "0").containsEntry("step.phase", "forward");
        assertThat(step.keySet()).contains("step.writes.value", "step.tensors.value", "step.live.workspace");
        int last = Integer.parseInt(step.get("steps")) - 1;
        assertThat(explain("--step", String.valueOf(last)).out()).contains("Step " + last + " of");
        CommandRun beyond = explain("--step", String.valueOf(last + 1));
        assertThat(beyond.exitCode()).isEqualTo(2);
        assertThat(beyond.err()).contains("there is no step " + (last + 1) + "; the plan has steps 0 to " + last);
        assertThat(explain("--step", "-1").exitCode()).isEqualTo(2);
    }

    @Test
    void severalMatchesAreListedAndNothingIsSaidOfThem() throws IOException {
        CommandRun run = explain("weight");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .contains("weight may be any of", "mix.1.weight", "out.weight")
                .doesNotContain("if dropped");
        Map<String, String> matches = json("weight");
        assertThat(matches).containsEntry("ambiguous.asked", "weight").doesNotContainKey("values.value");
        CommandRun several = explain("x.2", "table.weight");
        assertThat(several.out()).contains("x.2\n", "\n\ntable.weight\n");
    }

    @Test
    void pricesAreToldWithWhatTheyTake() throws IOException {
        assertThat(explain("x.2").out()).contains("  state       kept ", "  if dropped  ", "running ", " from ");
        String again = explain("x.2", "--strategy", "sqrt").out();
        assertThat(again).contains("  state       recomputed once", "  if kept     ", "without running again x.2");
        assertThat(again).contains("  again by    running ").doesNotContain("if dropped");
        assertThat(explain("optimizer.exp_avg.table.weight").out()).contains("in memory throughout, as optimizer");
        assertThat(json("tokens"))
                .containsEntry("values.state", "resident")
                .containsEntry("values.reason", "null")
                .containsEntry("values.stays.kind", "batch");
        assertThat(explain("loss").out()).doesNotContain("if dropped", "if kept");
    }

    @Test
    void linesOfTheModelAreValues() throws IOException {
        CommandRun run = explain("tiny.model:8");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("table");
        CommandRun empty = explain("tiny.model:1");
        assertThat(empty.exitCode()).isEqualTo(3);
        assertThat(empty.err()).contains("nothing is computed at tiny.model:1");
    }

    @Test
    void textFitsEightyColumns() throws IOException {
        for (String strategy : List.of("keep-all", "sqrt")) {
            for (String[] what : List.of(
                    new String[] {"x.2"}, new String[] {"tiny.model:10"}, new String[] {"--peak"}, new String[] {
                        "--step", "20"
                    })) {
                List<String> words = new ArrayList<>(List.of(what));
                words.addAll(List.of("--strategy", strategy));
                CommandRun run = explain(words.toArray(String[]::new));
                assertThat(run.exitCode()).as(run.err()).isZero();
                assertThat(run.out().lines().filter(line -> !line.contains(folder.toString())))
                        .allMatch(line -> line.length() <= 80);
            }
        }
    }

    @Test
    void mistakesAreToldApart() throws IOException {
        CommandRun unknown = explain("tabel.weight");
        assertThat(unknown.exitCode()).isEqualTo(3);
        assertThat(unknown.err())
                .contains("E0201", "did you mean 'table.weight'?")
                .doesNotContain("\tat ");
        assertThat(unknown.out()).isEmpty();
        CommandRun nothing = explain();
        assertThat(nothing.exitCode()).isEqualTo(2);
        assertThat(nothing.err()).contains("explain what?");
        assertThat(explain("x.2", "--peak").exitCode()).isEqualTo(2);
        assertThat(explain("x.2", "--budget", "1KiB").exitCode()).isEqualTo(4);
    }
}
