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

class ReportCommandTest {
    @TempDir
    Path folder;

    private CommandRun report(String... more) {
        List<String> words = new ArrayList<>(List.of("report"));
        words.addAll(List.of(more));
        if (!words.contains("-o")) {
            words.addAll(List.of("-o", folder.resolve("report.html").toString()));
        }
        return CommandRun.of(words.toArray(String[]::new));
    }

    private String log(String name, String... lines) throws IOException {
        Path run = Files.createDirectories(folder.resolve(name));
        Files.writeString(run.resolve("steps.csv"), String.join("\n", lines));
        return run.toString();
    }

    @Test
    void aTrainingIsReportedWithWhatWasPlanned() throws IOException {
        Path run = folder.resolve("run");
        CommandRun train = CommandRun.of(
                "train",
                TinyModels.text(folder),
                "--set",
                "B=2,T=4",
                "--text",
                TinyModels.data(folder),
                "--steps",
                "4",
                "--strategy",
                "sqrt",
                "--log",
                run.toString(),
                "--json");
        assertThat(train.exitCode()).as(train.err()).isZero();
        CommandRun plan =
                CommandRun.of("plan", TinyModels.text(folder), "--set", "B=2,T=4", "--strategy", "sqrt", "--json");
        Map<String, String> planned = JsonFields.of(plan.out());
        CommandRun run1 = report(run.toString(), "--json");
        assertThat(run1.exitCode()).as(run1.err()).isZero();
        Map<String, String> fields = JsonFields.of(run1.out());
        assertThat(fields)
                .containsEntry("schema", "remat-report/1")
                .containsEntry("runs.steps", "4")
                .containsEntry("runs.lastStep", "4")
                .containsEntry("runs.torn", "false")
                .containsEntry("runs.predictedMillis", planned.get("compute.estimatedMillis"))
                .containsEntry("runs.plan.strategy", "sqrt")
                .containsEntry("runs.plan.symbols.T", "4")
                .containsEntry("runs.plan.arenaBytes", planned.get("memory.arenaBytes"))
                .containsEntry("runs.plan.costModel", "roofline:cpu")
                .containsEntry("runs.plan.fromStep", "1");
        assertThat(folder.resolve("report.html")).isNotEmptyFile();
        assertThat(report(run.toString()).out())
                .contains("run: 4 steps, 1 to 4", "Tiny with B=2, T=4, planned for cpu by sqrt", "were predicted by")
                .contains("drawn in " + folder.resolve("report.html"));
        assertThat(fields).doesNotContainKey("runs.plan.microBatches");
    }

    /** What is predicted of a plan is held against the steps that it made, and not against those of one before. */
    @Test
    void stepsOfAnEarlierPlanAreNotHeldAgainstThisOne() throws IOException {
        String run = log("again", "step,loss,millis", "1,4,100", "2,4,100", "3,4,100", "4,3,2", "5,3,4", "");
        Path plan = folder.resolve("again/steps.plan.json");
        String planned = CommandRun.of("plan", TinyModels.text(folder), "--set", "B=4,T=8", "--json")
                .out();
        Files.writeString(plan, planned);
        assertThat(JsonFields.of(report(run, "--json").out())).containsEntry("runs.medianMillis", "100.0");
        assertThat(report(run).out()).contains("  a step took 100.00 ms, and ");
        Files.writeString(plan, planned.replaceFirst("\"remat-plan/1\",", "\"remat-plan/1\", \"fromStep\" : 4,"));
        assertThat(JsonFields.of(report(run, "--json").out())).containsEntry("runs.medianMillis", "2.0");
        assertThat(report(run).out()).contains("  a step from 4 on, where this plan begins, took 2.00 ms, and ");
    }

    @Test
    void aResumedRunTellsWhereItsPlanBegins() throws IOException {
        String run = folder.resolve("run").toString();
        for (String steps : List.of("2", "3")) {
            List<String> words =
                    new ArrayList<>(List.of("train", TinyModels.text(folder), "--set", "B=2,T=4", "--text"));
            words.addAll(List.of(TinyModels.data(folder), "--steps", steps, "--log", run, "--save", run));
            words.addAll(steps.equals("3") ? List.of("--resume", run) : List.of());
            assertThat(CommandRun.of(words.toArray(String[]::new)).exitCode()).isZero();
        }
        assertThat(JsonFields.of(report(run, "--json").out()))
                .containsEntry("runs.steps", "3")
                .containsEntry("runs.plan.fromStep", "3");
    }

    @Test
    void aRunTellsHowItsBatchWasCut() throws IOException {
        String run = log("cut", "step,loss", "1,4.5", "");
        Path plan = folder.resolve("cut/steps.plan.json");
        String whole = CommandRun.of("plan", TinyModels.text(folder), "--set", "B=4,T=8", "--json")
                .out();
        Files.writeString(plan, whole.replaceFirst("\"target\"", "\"microBatches\" : 4,\n  \"target\""));
        assertThat(report(run).out()).contains("Tiny with B=4, T=8 in 4 micro-batches, planned for cpu");
        assertThat(JsonFields.of(report(run, "--json").out())).containsEntry("runs.plan.microBatches", "4");
        Files.writeString(plan, whole);
        assertThat(report(run).out()).contains("Tiny with B=4, T=8, planned for cpu");
    }

    @Test
    void valuesAreSummedUp() throws IOException {
        String run = log("a", "step,loss,eval/loss", "1,4.5,", "2,NaN,3", "5,0.5,", "6,1.5,2.5", "");
        String out = report(run, "--json").out();
        Map<String, String> fields = JsonFields.of(out);
        assertThat(fields).containsEntry("runs.firstStep", "1").containsEntry("runs.lastStep", "6");
        String loss = out.substring(out.indexOf("\"loss\""), out.indexOf("\"eval/loss\""));
        Map<String, String> column = JsonFields.of("{\"name\": " + loss.substring(0, loss.lastIndexOf('}') + 1));
        assertThat(column)
                .containsEntry("values", "4")
                .containsEntry("first", "4.5")
                .containsEntry("last", "1.5")
                .containsEntry("least", "0.5")
                .containsEntry("leastStep", "5")
                .containsEntry("greatestStep", "1")
                .containsEntry("median", "1.5")
                .containsEntry("notFinite", "1");
        assertThat(Double.parseDouble(column.get("mean"))).isEqualTo(6.5 / 3);
        assertThat(fields).containsEntry("runs.plan", "null");
    }

    @Test
    void anInterruptedRunIsReportedUpToItsLastWholeRow() throws IOException {
        String run = log("a", "step,loss", "1,4.5", "2,0.");
        assertThat(report(run).out())
                .contains("a: 1 step, 1 to 1; the last row is not whole, as a killed run leaves it");
        assertThat(report(log("b", "step,loss", "")).out()).contains("b: nothing is logged yet");
    }

    @Test
    void mistakesAreToldApart() throws IOException {
        String damaged = log("damaged", "step,loss", "1,2", "2,x", "");
        CommandRun corrupt = report(damaged);
        assertThat(corrupt.exitCode()).isEqualTo(8);
        assertThat(corrupt.err())
                .contains("damaged/steps.csv: line 3 has 'x' in the column loss, which is no number")
                .doesNotContain("\tat ");
        assertThat(folder.resolve("report.html")).doesNotExist();
        CommandRun none = report(folder.toString());
        assertThat(none.exitCode()).isEqualTo(2);
        assertThat(none.err()).contains("holds no steps.csv, which 'remat train --log DIR' writes");
        assertThat(report(folder.resolve("missing").toString()).exitCode()).isEqualTo(2);
        assertThat(report().exitCode()).isEqualTo(2);
        String good = log("good", "step,loss", "1,2", "");
        assertThat(report(good, good + "/../good").err()).contains("a folder is named twice");
        CommandRun itself = report(good, "-o", good + "/steps.csv");
        assertThat(itself.exitCode()).isEqualTo(2);
        assertThat(itself.err()).contains("is what is read and would be replaced");
        Files.writeString(folder.resolve("good/steps.plan.json"), "{\"schema\":\"remat-plan/1\"}");
        CommandRun plan = report(good);
        assertThat(plan.exitCode()).isEqualTo(8);
        assertThat(plan.err()).contains("steps.plan.json is not what 'remat plan --json' prints");
    }

    @Test
    void runsOfOneNameAreToldByTheirPlaces() throws IOException {
        String one = log("x/a", "step,loss", "1,2", "");
        String two = log("y/a", "step,loss", "1,3", "");
        assertThat(report(one, two).out()).contains(one + ": 1 step", two + ": 1 step");
    }
}
