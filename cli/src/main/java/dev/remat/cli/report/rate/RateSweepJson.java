package dev.remat.cli.report.rate;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.Json;
import dev.remat.cli.report.SweepTitle;
import dev.remat.compiler.solve.TierJson;
import dev.remat.compiler.sweep.RateSweep;
import dev.remat.compiler.sweep.RateSweep.Cell;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.util.Optional;
import java.util.function.LongFunction;

/** The fields of {@code sweep --rates --json}. */
public record RateSweepJson(SweepTitle title, RateSweep sweep, double seconds) {
    public void writeTo(JsonGenerator out) throws IOException {
        out.writeStringField("schema", "remat-rates/1");
        out.writeStringField("model", title.name());
        Json.writeSymbols(out, title.symbols(), title.microBatches());
        out.writeStringField("target", title.target());
        out.writeStringField("costModel", title.costs());
        out.writeStringField("tier", title.tiers().getLast().name());
        out.writeNumberField("keepAllBytes", sweep.still().keepAll().bytes());
        out.writeNumberField("baselineCost", sweep.still().baselineCost());
        out.writeArrayFieldStart("still");
        writePlans(out, sweep::still);
        out.writeEndArray();
        JsonFields.objects(out, "rates", sweep.rows(), row -> {
            TierJson.writeRates(row.tier(), out);
            out.writeArrayFieldStart("plans");
            writePlans(out, budget -> sweep.best(row, budget));
            out.writeEndArray();
        });
        out.writeNumberField("seconds", seconds);
    }

    private void writePlans(JsonGenerator out, LongFunction<Optional<Cell>> best) throws IOException {
        for (long budget : sweep.budgets()) {
            Optional<Cell> found = best.apply(budget);
            out.writeStartObject();
            out.writeNumberField("budgetBytes", budget);
            if (found.isPresent()) {
                out.writeStringField("by", found.get().point().strategy());
                out.writeNumberField("bytes", found.get().point().bytes());
                out.writeNumberField("cost", found.get().point().cost());
                out.writeNumberField("overhead", found.get().overhead());
            } else {
                for (String field : new String[] {"by", "bytes", "cost", "overhead"}) {
                    out.writeNullField(field);
                }
            }
            out.writeEndObject();
        }
    }
}
