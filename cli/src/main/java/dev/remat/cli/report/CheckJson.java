package dev.remat.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.check.CheckReport;
import dev.remat.cli.check.PlanFinding.Outcome;
import dev.remat.cli.check.PlanFinding.Work;
import dev.remat.ir.json.JsonFields;
import dev.remat.runtime.check.GradientCheck;
import dev.remat.runtime.check.SlopeVerdict;
import java.io.IOException;
import java.util.Locale;

/** The fields of {@code check --json}. */
public record CheckJson(CheckReport report) {
    public void writeTo(JsonGenerator out) throws IOException {
        out.writeStringField("schema", "remat-check/1");
        out.writeBooleanField("ok", report.holds());
        out.writeNumberField("steps", report.steps());
        out.writeNumberField("distinctPlans", report.distinctPlans());
        out.writeNumberField("recomputingPlans", report.recomputingPlans());
        out.writeNumberField("differ", report.differ());
        JsonFields.objects(out, "checks", report.plans(), plan -> {
            out.writeStringField("check", plan.name());
            out.writeBooleanField("ok", plan.holds());
            out.writeStringField("detail", CheckText.detail(plan));
            writeOutcome(plan.outcome(), out);
        });
        out.writeObjectFieldStart("gradients");
        out.writeNumberField("parameters", report.gradients().size());
        for (SlopeVerdict verdict : SlopeVerdict.values()) {
            out.writeNumberField(label(verdict), report.count(verdict));
        }
        ScalarJson.write(out, "largestGap", report.largestGap());
        JsonFields.array(out, "findings", report.gradients(), finding -> {
            if (finding.verdict() != SlopeVerdict.AGREES) {
                writeFinding(finding, out);
            }
        });
        out.writeEndObject();
    }

    private static String label(SlopeVerdict verdict) {
        return verdict.name().toLowerCase(Locale.ROOT);
    }

    private static void writeOutcome(Outcome outcome, JsonGenerator out) throws IOException {
        switch (outcome) {
            case Outcome.Ran ran -> {
                writeWork(ran.work(), out);
                out.writeBooleanField("sameBits", ran.difference().isEmpty());
                out.writeNumberField("highWaterBytes", ran.trial().highWaterBytes());
            }
            case Outcome.SamePlan same -> {
                writeWork(same.work(), out);
                out.writeStringField("samePlanAs", same.name());
            }
            case Outcome.NoPlan none -> out.writeNumberField("smallestFoundBytes", none.smallestBytes());
        }
    }

    private static void writeWork(Work work, JsonGenerator out) throws IOException {
        out.writeNumberField("arenaBytes", work.arenaBytes());
        out.writeNumberField("kernels", work.kernels());
        out.writeNumberField("recomputedNodes", work.recomputedNodes());
        out.writeNumberField("recomputedDraws", work.recomputedDraws());
        out.writeNumberField("movedBytes", work.movedBytes());
    }

    private void writeFinding(GradientCheck.Finding finding, JsonGenerator out) throws IOException {
        out.writeStartObject();
        out.writeStringField("parameter", finding.parameter());
        out.writeStringField("at", report.places().get(finding.parameter()));
        out.writeStringField("verdict", label(finding.verdict()));
        if (finding.element().isPresent()) {
            out.writeNumberField("element", finding.element().getAsInt());
        }
        ScalarJson.write(out, "analytic", finding.slope().analytic());
        ScalarJson.write(out, "left", finding.slope().left());
        ScalarJson.write(out, "right", finding.slope().right());
        out.writeEndObject();
    }
}
