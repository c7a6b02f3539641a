package dev.remat.cli.report.rate;

import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.report.SweepTitle;
import dev.remat.cli.report.Table;
import dev.remat.cli.report.Table.Side;
import dev.remat.compiler.sweep.RateSweep;
import dev.remat.compiler.sweep.RateSweep.Cell;
import dev.remat.compiler.sweep.RateSweep.Row;
import dev.remat.ir.plan.Tier;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.stream.Stream;

/** A sweep over rates as people read it: a row for each, a column for each budget. */
public record RateSweepText(SweepTitle title, RateSweep sweep) {
    private static final double GIGA = 1e9;
    private static final double NANOS_PER_MICRO = 1e3;

    public void print(PrintStream out) {
        out.println(title.text() + ": " + title.spent() + " " + title.lost()
                + ", by rates and budget for the arena; - where no plan found fits");
        Side[] columns = new Side[1 + sweep.budgets().size()];
        Arrays.fill(columns, RIGHT);
        columns[0] = LEFT;
        long all = sweep.still().keepAll().bytes();
        Table table = new Table("  ", columns)
                .line("")
                .row(row("", budget -> percent((double) budget / all, 1)))
                .row(row("", ByteSize::format))
                .row(row("nothing moved", budget -> cell(sweep.still(budget))));
        for (Row each : sweep.rows()) {
            table.row(row(rates(each.tier()), budget -> cell(sweep.best(each, budget))));
        }
        table.print(out);
        out.flush();
    }

    private String[] row(String name, LongFunction<String> cell) {
        List<Long> budgets = sweep.budgets();
        return Stream.concat(Stream.of(name), budgets.stream().map(cell::apply)).toArray(String[]::new);
    }

    private static String cell(Optional<Cell> cell) {
        return cell.map(found -> percent(found.overhead(), 2)).orElse("-");
    }

    private static String rates(Tier tier) {
        double interference = tier.interferenceNanosPerMegabyte() / NANOS_PER_MICRO;
        return String.format(
                        Locale.ROOT,
                        "%.3g GB/s out, %.3g in, %.0f us",
                        tier.storeBytesPerSecond() / GIGA,
                        tier.fetchBytesPerSecond() / GIGA,
                        tier.latencyNanos() / NANOS_PER_MICRO)
                + (interference == 0 ? "" : String.format(Locale.ROOT, ", %.3g us/MB", interference));
    }

    private static String percent(double share, int digits) {
        return String.format(Locale.ROOT, "%." + digits + "f %%", 100 * share);
    }
}
