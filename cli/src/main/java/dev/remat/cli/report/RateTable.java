package dev.remat.cli.report;

import static dev.remat.cli.console.Format.percent;
import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.ByteSize;
import dev.remat.compiler.fit.FitMicroBatches;
import dev.remat.compiler.fit.FitMicroBatches.Rate;
import dev.remat.compiler.fit.SymbolFit.KeepAll;
import dev.remat.ir.json.JsonFields;
import dev.remat.ir.target.CostModel;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** How large a batch fits, and how fast its rows go through a step, by the number of its micro-batches. */
public record RateTable(String symbol, List<Rate> rates) {
    private static final double NANOS_PER_SECOND = 1e9;

    public RateTable {
        rates = List.copyOf(rates);
    }

    private CostModel costs() {
        return rates.getFirst().fit().plan().costs();
    }

    public void print(PrintStream out) {
        Table table = new Table("  ", RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, LEFT);
        String speed = costs().isTime() ? "rows/s" : "units a row";
        table.row("m", symbol, "arena", "one step", "recomputed", speed, "kept whole", speed, "");
        for (Rate rate : rates) {
            KeepAll kept = rate.fit().keepAll();
            table.row(
                    String.valueOf(rate.microBatches()),
                    String.valueOf(rate.fit().extent()),
                    ByteSize.format(rate.fit().plan().memory().arenaBytes()),
                    PlanText.time(costs(), rate.fit().plan().cost()),
                    percent(rate.fit().plan().overhead()),
                    speed(rate.fit().plan().cost(), rate.fit().extent()),
                    kept.extent() == 0 ? "none" : symbol + "=" + kept.extent(),
                    kept.extent() == 0 ? "" : speed(kept.cost(), kept.extent()),
                    rate.equals(FitMicroBatches.fastest(rates)) ? "fastest" : "");
        }
        out.println("The largest " + symbol + " by its number of micro-batches");
        table.print(out);
        out.println();
        out.flush();
    }

    private String speed(long cost, long extent) {
        return String.format(
                Locale.ROOT, "%.1f", costs().isTime() ? rowsPerSecond(cost, extent) : (double) cost / extent);
    }

    private static double rowsPerSecond(long cost, long extent) {
        return NANOS_PER_SECOND / cost * extent;
    }

    /** The field {@code rates}. */
    public void writeTo(JsonGenerator out) throws IOException {
        JsonFields.objects(out, "rates", rates, rate -> {
            out.writeNumberField("microBatches", rate.microBatches());
            out.writeNumberField("extent", rate.fit().extent());
            out.writeNumberField("arenaBytes", rate.fit().plan().memory().arenaBytes());
            out.writeNumberField("overhead", rate.fit().plan().overhead());
            long cost = rate.fit().plan().cost();
            JsonFields.optional(out, "estimatedMillis", costs().millis(cost));
            JsonFields.optional(
                    out,
                    "rowsPerSecond",
                    costs().isTime()
                            ? OptionalDouble.of(rowsPerSecond(cost, rate.fit().extent()))
                            : OptionalDouble.empty());
        });
    }
}
