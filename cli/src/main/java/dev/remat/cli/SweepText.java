package dev.remat.cli;

import dev.remat.compiler.sweep.Sweep;
import dev.remat.compiler.sweep.SweepPoint;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongFunction;

/** A sweep as people read it: a table of strategies and budgets, then the frontier. */
final class SweepText {
    private static final int MOST_BUDGETS = 8;
    private static final int MOST_POINTS = 16;

    private final SweepTitle title;
    private final Sweep sweep;
    private final PrintStream out;

    SweepText(SweepTitle title, Sweep sweep, PrintStream out) {
        this.title = title;
        this.sweep = sweep;
        this.out = out;
    }

    void print() {
        line(
                "%s: %s recomputed, by strategy and budget for the %s; - where no plan found fits",
                title.text(), title.spent(), title.measure());
        List<Long> budgets = sweep.budgets();
        for (int from = 0; from < budgets.size(); from += MOST_BUDGETS) {
            printTable(budgets.subList(from, Math.min(budgets.size(), from + MOST_BUDGETS)));
        }
        printFrontier();
        out.flush();
    }

    private void printTable(List<Long> budgets) {
        line("");
        line("  %-16s%s", "", row(budgets, this::share));
        line("  %-16s%s", "", row(budgets, ByteSize::format));
        for (Sweep.Column column : sweep.columns()) {
            line("  %-16s%s", column.strategy(), row(budgets, budget -> overhead(column.within(budget))));
        }
    }

    private void printFrontier() {
        List<SweepPoint> frontier = sweep.frontier();
        line("");
        line("Frontier: what no plan found beats in both %s and %s", title.measure(), title.spent());
        int steps = (frontier.size() + MOST_POINTS - 1) / MOST_POINTS;
        for (int i = 0; i < frontier.size(); i++) {
            SweepPoint point = frontier.get(i);
            if (i % steps == 0 || i == frontier.size() - 1) {
                line(
                        "  %10s %9s %9s   %s",
                        ByteSize.format(point.bytes()),
                        share(point.bytes()),
                        overhead(Optional.of(point)),
                        point.strategy());
            }
        }
        if (steps > 1) {
            line("  %d points, of which --json lists all", frontier.size());
        }
        line(
                "  %10s %9s             no plan needs less, for %s",
                ByteSize.format(sweep.floor().bytes()),
                share(sweep.floor().bytes()),
                sweep.floor().setBy());
    }

    private static String row(List<Long> budgets, LongFunction<String> cell) {
        StringBuilder row = new StringBuilder();
        budgets.forEach(budget -> row.append(String.format(Locale.ROOT, "%10s", cell.apply(budget))));
        return row.toString();
    }

    private String share(long bytes) {
        long all = sweep.keepAll().bytes();
        return String.format(Locale.ROOT, "%.1f %%", all == 0 ? 100 : 100.0 * bytes / all);
    }

    private String overhead(Optional<SweepPoint> plan) {
        return plan.map(point -> String.format(Locale.ROOT, "%.2f %%", 100 * sweep.overhead(point)))
                .orElse("-");
    }

    private void line(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values).stripTrailing());
    }
}
