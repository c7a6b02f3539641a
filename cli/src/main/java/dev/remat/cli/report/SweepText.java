package dev.remat.cli.report;

import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.report.Table.Side;
import dev.remat.compiler.search.MemoryFloor;
import dev.remat.compiler.sweep.Sweep;
import dev.remat.compiler.sweep.SweepPoint;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.LongFunction;
import java.util.stream.Stream;

/** A sweep as people read it: a table of strategies and budgets, then the frontier. */
public final class SweepText {
    private static final int MOST_BUDGETS = 8;
    private static final int MOST_POINTS = 16;

    private final SweepTitle title;
    private final Sweep sweep;
    private final PrintStream out;

    public SweepText(SweepTitle title, Sweep sweep, PrintStream out) {
        this.title = title;
        this.sweep = sweep;
        this.out = out;
    }

    public void print() {
        out.println(title.text() + ": " + title.spent() + " " + title.lost() + ", by strategy and budget for the "
                + title.measure() + "; - where no plan found fits");
        List<Long> budgets = sweep.budgets();
        for (int from = 0; from < budgets.size(); from += MOST_BUDGETS) {
            printTable(budgets.subList(from, Math.min(budgets.size(), from + MOST_BUDGETS)));
        }
        if (!sweep.bounds().isEmpty()) {
            out.println();
            out.println("at least: proven of every plan within the budget, in any order; = where one was found that"
                    + " is as good");
        }
        printFrontier();
        out.flush();
    }

    private void printTable(List<Long> budgets) {
        Side[] columns = new Side[1 + budgets.size()];
        Arrays.fill(columns, RIGHT);
        columns[0] = LEFT;
        Table table = new Table("  ", columns)
                .line("")
                .row(row("", budgets, this::share))
                .row(row("", budgets, ByteSize::format));
        for (Sweep.Column column : sweep.columns()) {
            table.row(row(column.strategy(), budgets, budget -> overhead(column.within(budget))));
        }
        if (!sweep.bounds().isEmpty()) {
            table.row(row("at least", budgets, this::bound));
        }
        table.print(out);
    }

    private static String[] row(String name, List<Long> budgets, LongFunction<String> cell) {
        return Stream.concat(Stream.of(name), budgets.stream().map(cell::apply)).toArray(String[]::new);
    }

    private void printFrontier() {
        List<SweepPoint> frontier = sweep.frontier();
        Table table = new Table("  ", RIGHT, RIGHT, RIGHT, LEFT)
                .line("")
                .line("Frontier: what no plan found beats in both " + title.measure() + " and " + title.spent());
        int steps = (frontier.size() + MOST_POINTS - 1) / MOST_POINTS;
        for (int i = 0; i < frontier.size(); i++) {
            SweepPoint point = frontier.get(i);
            if (i % steps == 0 || i == frontier.size() - 1) {
                table.row(
                        ByteSize.format(point.bytes()),
                        share(point.bytes()),
                        overhead(Optional.of(point)),
                        point.strategy());
            }
        }
        if (steps > 1) {
            table.line("  " + frontier.size() + " points, of which --json lists all");
        }
        MemoryFloor floor = sweep.floor();
        table.row(ByteSize.format(floor.bytes()), share(floor.bytes()), "", "no plan needs less, for " + floor.setBy());
        table.print(out);
    }

    /** With a mark where a plan that was found recomputes no more. */
    private String bound(long budget) {
        OptionalDouble bound = sweep.lowerBoundOverhead(budget);
        return bound.isEmpty()
                ? "-"
                : String.format(Locale.ROOT, "%.2f %%%s", 100 * bound.getAsDouble(), sweep.proven(budget) ? "=" : "");
    }

    private String share(long bytes) {
        long all = sweep.keepAll().bytes();
        return String.format(Locale.ROOT, "%.1f %%", all == 0 ? 100 : 100.0 * bytes / all);
    }

    private String overhead(Optional<SweepPoint> plan) {
        return plan.map(point -> String.format(Locale.ROOT, "%.2f %%", 100 * sweep.overhead(point)))
                .orElse("-");
    }
}
