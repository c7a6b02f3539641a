package dev.remat.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.chunk.ChunksJson;
import dev.remat.cli.console.Json;
import dev.remat.compiler.solve.TierJson;
import dev.remat.compiler.sweep.Sweep;
import dev.remat.compiler.sweep.SweepPoint;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalDouble;

/** The fields of {@code sweep --json}. */
public record SweepJson(SweepTitle title, Sweep sweep, double seconds) {
    public void writeTo(JsonGenerator out) throws IOException {
        out.writeStringField("schema", "remat-sweep/1");
        out.writeStringField("model", title.name());
        Json.writeSymbols(out, title.symbols(), title.microBatches());
        writeText(out, "target", title.target());
        writeText(out, "costModel", title.costs());
        ChunksJson.write(title.chunked(), out);
        writeTiers(out);
        out.writeStringField("measure", title.measure());
        out.writeNumberField("keepAllBytes", sweep.keepAll().bytes());
        out.writeNumberField("floorBytes", sweep.floor().bytes());
        out.writeStringField("floorSetBy", sweep.floor().setBy());
        out.writeNumberField("smallestFoundBytes", sweep.smallestFoundBytes());
        out.writeNumberField("baselineCost", sweep.baselineCost());
        JsonFields.objects(out, "budgets", sweep.budgets(), budget -> {
            out.writeNumberField("budgetBytes", budget);
            JsonFields.objects(
                    out, "plans", sweep.columns(), column -> writePlan(out, column.strategy(), column.within(budget)));
            if (!sweep.bounds().isEmpty()) {
                writeBound(out, budget);
            }
        });
        JsonFields.objects(out, "frontier", sweep.frontier(), point -> {
            out.writeStringField("strategy", point.strategy());
            writePoint(out, point);
        });
        out.writeNumberField("seconds", seconds);
    }

    private void writeTiers(JsonGenerator out) throws IOException {
        if (title.tiers().isEmpty()) {
            return;
        }
        JsonFields.array(out, "tiers", title.tiers(), tier -> TierJson.write(tier, out));
    }

    private void writeBound(JsonGenerator out, long budget) throws IOException {
        OptionalDouble bound = sweep.lowerBoundOverhead(budget);
        JsonFields.optional(out, "lowerBoundOverhead", bound);
        out.writeBooleanField("proven", sweep.proven(budget));
    }

    private static void writeText(JsonGenerator out, String field, String text) throws IOException {
        if (text.isEmpty()) {
            out.writeNullField(field);
        } else {
            out.writeStringField(field, text);
        }
    }

    private void writePlan(JsonGenerator out, String strategy, Optional<SweepPoint> plan) throws IOException {
        out.writeStringField("strategy", strategy);
        if (plan.isPresent()) {
            out.writeStringField("by", plan.get().strategy());
            writePoint(out, plan.get());
        } else {
            out.writeNullField("by");
            out.writeNullField("bytes");
            out.writeNullField("cost");
            out.writeNullField("overhead");
        }
    }

    private void writePoint(JsonGenerator out, SweepPoint point) throws IOException {
        out.writeNumberField("bytes", point.bytes());
        out.writeNumberField("cost", point.cost());
        out.writeNumberField("overhead", sweep.overhead(point));
    }
}
