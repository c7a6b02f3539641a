package dev.remat.cli.runs;

import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.ModelTitle;
import dev.remat.cli.report.ScalarText;
import dev.remat.cli.report.Table;
import dev.remat.cli.view.PlanFile;
import dev.remat.compiler.account.PlanDigest;
import dev.remat.ir.diagnostic.Count;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** What runs have logged, as people read it. */
final class ReportText {
    private static final int MOST_FAMILIES = 8;

    private final PrintStream out;

    ReportText(PrintStream out) {
        this.out = out;
    }

    void print(List<LoggedRun> runs, Path page) {
        for (LoggedRun run : runs) {
            print(run);
            out.println();
        }
        out.println("drawn in " + page);
        out.flush();
    }

    private void print(LoggedRun run) {
        List<Long> steps = run.table().steps();
        out.println(run.name() + ": "
                + (steps.isEmpty()
                        ? "nothing is logged yet"
                        : Count.of(steps.size(), "step") + ", " + steps.getFirst() + " to " + steps.getLast())
                + (run.table().isTorn() ? "; the last row is not whole, as a killed run leaves it" : ""));
        run.plan().ifPresent(plan -> out.println("  " + planned(plan.digest())));
        if (steps.isEmpty()) {
            return;
        }
        Table table = new Table("  ", LEFT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT)
                .row("", "first", "last", "least", "at step", "median");
        for (ColumnSummary column : run.columns()) {
            boolean bytes = column.name().endsWith("_bytes");
            table.row(
                    column.name(),
                    text(bytes, column.first()),
                    text(bytes, column.last()),
                    text(bytes, column.least()),
                    String.valueOf(column.leastStep()),
                    text(bytes, column.median()));
        }
        table.print(out);
        if (run.medianMillis().isPresent() && run.predictedMillis().isPresent()) {
            double measured = run.medianMillis().get();
            double predicted = run.predictedMillis().get();
            out.println(String.format(
                    Locale.ROOT,
                    "  a step%s took %.2f ms, and %.2f ms were predicted by %s: %.2f times as long",
                    run.isPlannedAnew()
                            ? " from " + run.plan().orElseThrow().fromStep().getAsLong()
                                    + " on, where this plan begins,"
                            : "",
                    measured,
                    predicted,
                    run.plan().orElseThrow().digest().costModel(),
                    measured / predicted));
        }
        run.plan().flatMap(PlanFile::kernels).ifPresent(this::print);
    }

    private static String planned(PlanDigest plan) {
        String model = ModelTitle.of(plan.model(), plan.symbols(), plan.microBatches());
        return model + ", planned for " + plan.target() + " by " + plan.strategy() + ", an arena of "
                + ByteSize.format(plan.arenaBytes());
    }

    private static String text(boolean bytes, double value) {
        return bytes && Double.isFinite(value) ? ByteSize.format((long) value) : ScalarText.of(value);
    }

    private void print(PlanFile.Kernels kernels) {
        Table table = new Table("  ", LEFT, RIGHT, RIGHT, RIGHT)
                .row("kernels of a step", "runs", kernels.predictor(), "measured");
        kernels.families().stream()
                .limit(MOST_FAMILIES)
                .forEach(family -> table.row(
                        family.name(),
                        String.valueOf(family.runs()),
                        millis(family.predictedMillis()),
                        millis(family.measuredMillis())));
        table.print(out);
    }

    private static String millis(double value) {
        return String.format(Locale.ROOT, "%.3f ms", value);
    }
}
