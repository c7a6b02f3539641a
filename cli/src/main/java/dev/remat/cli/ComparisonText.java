package dev.remat.cli;

import dev.remat.compiler.report.CostComparison;
import dev.remat.compiler.report.CostComparison.Line;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** Predicted against measured times as people read them. */
record ComparisonText(CostComparison comparison, PrintStream out) {
    private static final int MOST_KERNELS = 6;
    private static final double NANOS_PER_MILLI = 1e6;

    void print() {
        List<Line> kernels = comparison.kernels();
        List<Line> longest = kernels.subList(0, Math.min(MOST_KERNELS, kernels.size()));
        int width = longest.stream().mapToInt(kernel -> placed(kernel).length()).reduce(34, Math::max);
        line("");
        line(
                "%-" + (width + 2) + "s %6s %18s %12s %7s",
                "Kernels of one step",
                "runs",
                comparison.predictor(),
                "measured",
                "times");
        comparison.families().forEach(family -> print(family, family.name(), width));
        print(comparison.total(), "all", width);
        if (!longest.isEmpty()) {
            line("The longest, equal ones together");
            longest.forEach(kernel -> print(kernel, placed(kernel), width));
        }
        int missing = comparison.units() - comparison.unitsMeasured();
        line(
                "%d of %d units were measured%s",
                comparison.unitsMeasured(),
                comparison.units(),
                missing == 0 ? "" : text("; the others are estimated to take %s", millis(comparison.estimatedNanos())));
    }

    private static String placed(Line kernel) {
        return kernel.name() + " " + kernel.location();
    }

    private void print(Line kernels, String name, int width) {
        line(
                "  %-" + width + "s %6d %18s %12s %7s",
                name,
                kernels.runs(),
                millis(kernels.predictedNanos()),
                millis(kernels.measuredNanos()),
                kernels.predictedNanos() == 0
                        ? ""
                        : text("%.2f", (double) kernels.measuredNanos() / kernels.predictedNanos()));
    }

    private static String millis(long nanos) {
        return text("%.2f ms", nanos / NANOS_PER_MILLI);
    }

    private void line(String format, Object... values) {
        out.println(text(format, values).stripTrailing());
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
