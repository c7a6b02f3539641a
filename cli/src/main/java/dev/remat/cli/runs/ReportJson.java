package dev.remat.cli.runs;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.Json;
import dev.remat.cli.report.ScalarJson;
import dev.remat.cli.view.PlanFile;
import dev.remat.compiler.account.PlanDigest;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The fields of {@code report --json}. */
record ReportJson(List<LoggedRun> runs) {
    void writeTo(JsonGenerator out) throws IOException {
        out.writeStringField("schema", "remat-report/1");
        JsonFields.objects(out, "runs", runs, run -> write(out, run));
    }

    static void write(JsonGenerator out, LoggedRun run) throws IOException {
        List<Long> steps = run.table().steps();
        out.writeStringField("name", run.name());
        out.writeStringField("folder", run.folder().toString());
        out.writeNumberField("steps", steps.size());
        if (steps.isEmpty()) {
            out.writeNullField("firstStep");
            out.writeNullField("lastStep");
        } else {
            out.writeNumberField("firstStep", steps.getFirst());
            out.writeNumberField("lastStep", steps.getLast());
        }
        out.writeBooleanField("torn", run.table().isTorn());
        write(out, "medianMillis", run.medianMillis());
        write(out, "predictedMillis", run.predictedMillis());
        JsonFields.objects(out, "columns", run.columns(), column -> write(out, column));
        JsonFields.object(out, "plan", run.plan(), plan -> write(out, plan));
    }

    private static void write(JsonGenerator out, String field, Optional<Double> value) throws IOException {
        if (value.isPresent()) {
            ScalarJson.write(out, field, value.get());
        } else {
            out.writeNullField(field);
        }
    }

    private static void write(JsonGenerator out, ColumnSummary column) throws IOException {
        out.writeStringField("name", column.name());
        out.writeNumberField("values", column.count());
        ScalarJson.write(out, "first", column.first());
        ScalarJson.write(out, "last", column.last());
        ScalarJson.write(out, "least", column.least());
        out.writeNumberField("leastStep", column.leastStep());
        ScalarJson.write(out, "greatest", column.greatest());
        out.writeNumberField("greatestStep", column.greatestStep());
        ScalarJson.write(out, "mean", column.mean());
        ScalarJson.write(out, "median", column.median());
        out.writeNumberField("notFinite", column.notFinite());
    }

    private static void write(JsonGenerator out, PlanFile plan) throws IOException {
        PlanDigest digest = plan.digest();
        out.writeStringField("model", digest.model());
        Json.writeSymbols(out, digest.symbols(), digest.microBatches());
        out.writeStringField("target", digest.target());
        out.writeStringField("strategy", digest.strategy());
        JsonFields.optional(out, "budgetBytes", digest.budgetBytes());
        out.writeNumberField("arenaBytes", digest.arenaBytes());
        out.writeNumberField("peakLiveBytes", digest.peakBytes());
        out.writeNumberField("overhead", digest.overhead());
        out.writeStringField("costModel", digest.costModel());
        JsonFields.optional(out, "estimatedMillis", digest.millis());
        JsonFields.optional(out, PlanFile.FROM_STEP, plan.fromStep());
        JsonFields.object(out, "measured", plan.kernels(), kernels -> {
            out.writeStringField("predictor", kernels.predictor());
            write(out, "families", kernels.families());
            write(out, "kernels", kernels.lines());
        });
    }

    private static void write(JsonGenerator out, String field, List<PlanFile.Line> lines) throws IOException {
        JsonFields.objects(out, field, lines, line -> {
            out.writeStringField("name", line.name());
            out.writeStringField("at", line.at());
            out.writeNumberField("runs", line.runs());
            out.writeNumberField("predictedMillis", line.predictedMillis());
            out.writeNumberField("measuredMillis", line.measuredMillis());
        });
    }
}
