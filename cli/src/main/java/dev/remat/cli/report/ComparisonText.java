package dev.remat.cli.report;

import static dev.remat.cli.console.Format.text;
import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import dev.remat.compiler.account.CostComparison;
import dev.remat.compiler.account.CostComparison.Line;
import java.io.PrintStream;
import java.util.List;

/** Predicted against measured times as people read them. */
public record ComparisonText(CostComparison comparison, PrintStream out) {
    private static final int MOST_KERNELS = 6;
    private static final double NANOS_PER_MILLI = 1e6;

    public void print() {
        List<Line> kernels = comparison.kernels();
        List<Line> longest = kernels.subList(0, Math.min(MOST_KERNELS, kernels.size()));
        Table table = new Table("", LEFT, RIGHT, RIGHT, RIGHT, RIGHT)
                .line("")
                .row("Kernels of one step", "runs", comparison.predictor(), "measured", "times");
        comparison.families().forEach(family -> add(table, family, family.name()));
        add(table, comparison.total(), "all");
        if (!longest.isEmpty()) {
            table.line("The longest, equal ones together");
            longest.forEach(kernel -> add(table, kernel, kernel.name() + " " + kernel.location()));
        }
        int missing = comparison.groups() - comparison.groupsMeasured();
        table.line(text(
                "%d of %d fusion groups were measured%s",
                comparison.groupsMeasured(),
                comparison.groups(),
                missing == 0
                        ? ""
                        : text("; the others are estimated to take %s", millis(comparison.estimatedNanos()))));
        table.print(out);
    }

    private static void add(Table table, Line kernels, String name) {
        table.row(
                "  " + name,
                String.valueOf(kernels.runs()),
                millis(kernels.predictedNanos()),
                millis(kernels.measuredNanos()),
                kernels.predictedNanos() == 0
                        ? ""
                        : text("%.2f", (double) kernels.measuredNanos() / kernels.predictedNanos()));
    }

    private static String millis(long nanos) {
        return text("%.2f ms", nanos / NANOS_PER_MILLI);
    }
}
