package dev.remat.cli.ranks;

import static dev.remat.cli.console.Format.percent;
import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.ByteSize;
import dev.remat.cli.report.Table;
import dev.remat.compiler.account.ExchangeTimes;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.batch.MicroBatches;
import dev.remat.compiler.ranks.RankTraffic;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Plans of a step side by side, each of another number of ranks: what a rank holds and sends, and how fast rows go
 * through, if a link says that.
 *
 * @param what names the column that tells rows of one number of ranks apart, or what each has come to
 */
public record RankTable(String what, List<Row> rows) {
    private static final double NANOS_PER_MILLI = 1e6;

    /**
     * A plan of a number of ranks.
     *
     * @param label of its column
     * @param plan empty if none fits
     */
    public record Row(int ranks, String label, Optional<PlanAccount> plan) {
        /** How fast the batch's rows go through a step; empty without a link, or where costs are no times. */
        public Optional<Double> rowsPerSecond() {
            return plan.flatMap(account ->
                    ExchangeTimes.of(account).map(times -> RankReport.rowsPerSecond(account.compilation(), times)));
        }
    }

    public RankTable {
        rows = List.copyOf(rows);
    }

    /** The one with most rows a second; of equals, and without a link, the first. */
    public Row fastest() {
        return rows.stream()
                .max(Comparator.comparingDouble(row -> row.rowsPerSecond().orElse(0.0)))
                .orElseThrow();
    }

    public void print(PrintStream out) {
        boolean timed = rows.stream().anyMatch(row -> row.rowsPerSecond().isPresent());
        Table table = new Table("  ", RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, LEFT);
        if (timed) {
            table.row(
                    "ranks",
                    what,
                    "each holds",
                    "each sends",
                    "recomputed",
                    "one step",
                    "waiting",
                    "efficiency",
                    "rows/s",
                    "");
        } else {
            table.row("ranks", what, "each holds", "each sends", "recomputed");
        }
        for (Row row : rows) {
            table.row(cells(row, timed));
        }
        table.print(out);
        out.flush();
    }

    private String[] cells(Row row, boolean timed) {
        String ranks = String.valueOf(row.ranks());
        if (row.plan().isEmpty()) {
            return new String[] {ranks, row.label(), "none fits"};
        }
        PlanAccount account = row.plan().get();
        RankTraffic traffic = RankTraffic.of(account.compilation().plan());
        String arena = ByteSize.format(account.compilation().plan().arenaBytes());
        String sent = ByteSize.format(traffic.scatterBytes() + traffic.gatherBytes());
        String again = percent(account.compilation().overhead());
        Optional<ExchangeTimes> times = ExchangeTimes.of(account);
        if (!timed || times.isEmpty()) {
            return new String[] {ranks, row.label(), arena, sent, again};
        }
        return new String[] {
            ranks,
            row.label(),
            arena,
            sent,
            again,
            RankReport.millis(times.get().nanos()),
            RankReport.millis(times.get().waited()),
            percent(times.get().efficiency()),
            String.format(Locale.ROOT, "%.1f", row.rowsPerSecond().orElseThrow()),
            row.equals(fastest()) ? "fastest" : ""
        };
    }

    /** An array of that name. */
    public void writeTo(JsonGenerator out, String field) throws IOException {
        JsonFields.objects(out, field, rows, row -> {
            out.writeNumberField("count", row.ranks());
            if (row.plan().isEmpty()) {
                out.writeNullField("arenaBytes");
                return;
            }
            PlanAccount account = row.plan().get();
            RankTraffic traffic = RankTraffic.of(account.compilation().plan());
            out.writeNumberField(
                    "rows",
                    account.compilation()
                            .model()
                            .microBatches()
                            .map(MicroBatches::rows)
                            .orElse(0L));
            out.writeNumberField("arenaBytes", account.compilation().plan().arenaBytes());
            out.writeNumberField("overhead", account.compilation().overhead());
            out.writeNumberField("exchanges", traffic.count());
            out.writeNumberField("scatterBytes", traffic.scatterBytes());
            out.writeNumberField("gatherBytes", traffic.gatherBytes());
            Optional<ExchangeTimes> times = ExchangeTimes.of(account);
            if (times.isPresent()) {
                out.writeNumberField("stepMillis", times.get().nanos() / NANOS_PER_MILLI);
                out.writeNumberField("exposedMillis", times.get().waited() / NANOS_PER_MILLI);
                out.writeNumberField("efficiency", times.get().efficiency());
                out.writeNumberField("rowsPerSecond", row.rowsPerSecond().orElseThrow());
            }
        });
    }
}
