package dev.remat.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.compiler.account.CostComparison;
import dev.remat.compiler.account.CostComparison.Line;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.util.List;

/** The fields of {@code measured} in {@code plan --json}. */
record ComparisonJson(CostComparison comparison) {
    private static final double NANOS_PER_MILLI = 1e6;

    void writeTo(JsonGenerator out) throws IOException {
        out.writeStringField("predictor", comparison.predictor());
        out.writeNumberField("units", comparison.groups());
        out.writeNumberField("unitsMeasured", comparison.groupsMeasured());
        out.writeNumberField("estimatedMillis", comparison.estimatedNanos() / NANOS_PER_MILLI);
        writeTimes(out, comparison.total());
        writeLines(out, "families", comparison.families());
        writeLines(out, "kernels", comparison.kernels());
    }

    private static void writeLines(JsonGenerator out, String field, List<Line> lines) throws IOException {
        JsonFields.objects(out, field, lines, line -> {
            out.writeStringField("name", line.name());
            if (field.equals("kernels")) {
                out.writeStringField("at", line.location().toString());
            }
            writeTimes(out, line);
        });
    }

    private static void writeTimes(JsonGenerator out, Line line) throws IOException {
        out.writeNumberField("runs", line.runs());
        out.writeNumberField("predictedMillis", line.predictedNanos() / NANOS_PER_MILLI);
        out.writeNumberField("measuredMillis", line.measuredNanos() / NANOS_PER_MILLI);
    }
}
