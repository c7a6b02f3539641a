package dev.remat.cli;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.report.LayerUse;
import dev.remat.compiler.report.MemoryUse.Purpose;
import dev.remat.compiler.report.PlanReport;
import dev.remat.compiler.report.RetainedTensor;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** A plan's report as people read it. */
final class PlanText {
    private static final int TENSORS_NAMED = 3;
    private static final int MOST_ROWS = 40;

    private final PlanReport report;
    private final Compilation compilation;
    private final PrintStream out;

    PlanText(PlanReport report, PrintStream out) {
        this.report = report;
        this.compilation = report.compilation();
        this.out = out;
    }

    void print() {
        String symbols = compilation.options().symbols().entrySet().stream()
                .map(symbol -> symbol.getKey() + "=" + symbol.getValue())
                .collect(Collectors.joining(", "));
        line("%s%s, planned for %s by %s", compilation.plan().model(), symbols.isEmpty() ? "" : " with " + symbols,
                compilation.plan().target(), compilation.sequence().strategy());
        printMemory();
        printCompute();
        printRetained();
        printLayers();
        out.flush();
    }

    private void printMemory() {
        long arena = compilation.memory().arenaBytes();
        line("");
        line("Memory");
        row("arena", size(arena), "everything the step needs; %s of it is lost between buffers",
                percent(arena - compilation.memory().peakLiveBytes(), arena));
        row("  parameters", size(report.memory().atPeak(Purpose.PARAMETER)), "");
        row("  optimizer state", size(report.memory().atPeak(Purpose.OPTIMIZER)), "");
        row("  gradients", size(report.memory().atPeak(Purpose.GRADIENT)), "at the peak, where %s computes %s",
                report.peakLocation(), report.peakTensor());
        row("  activations", size(report.memory().activationBytesAtPeak()),
                "at the peak; the most at any time is %s", size(report.memory().maxActivationBytes()));
        row("  workspace", size(report.memory().atPeak(Purpose.WORKSPACE)), "at the peak");
        compilation.options().budgetBytes().ifPresent(budget -> row("budget", size(budget), ""));
        row("keeping all", size(compilation.keepAllArenaBytes()), "the arena without recomputation");
        row("floor", size(compilation.floorBytes()), "no plan needs less: %s for parameters and optimizer, and",
                size(report.residentBytes()));
        row("", "", "the largest working set of a single kernel");
    }

    private void printCompute() {
        line("");
        line("Compute");
        row("one step", flops(report.work().flops()), "about %s by %s", millis(), compilation.costModel());
        row("recomputed", flops(report.work().recomputeFlops()), "%s of the step's operations, %s of its time",
                percent(report.work().recomputeFlops(), report.work().flops()),
                String.format(Locale.ROOT, "%.1f %%", 100 * compilation.evaluation().overhead()));
        row("kernels", String.valueOf(compilation.plan().steps().size()),
                "for %d forward, %d backward, %d update and %d recomputed nodes", report.work().forward(),
                report.work().backward(), report.work().update(), report.work().recomputed());
    }

    private String millis() {
        return String.format(Locale.ROOT, "%.3g ms", compilation.evaluation().cost() / 1e6);
    }

    private void printRetained() {
        Map<String, List<RetainedTensor>> byReason = new LinkedHashMap<>();
        report.retained().forEach(tensor ->
                byReason.computeIfAbsent(tensor.reason(), reason -> new ArrayList<>()).add(tensor));
        line("");
        line("Retained for the backward pass");
        byReason.forEach((reason, tensors) -> row(reason, size(bytes(tensors)), "%s", names(tensors)));
        if (byReason.isEmpty()) {
            line("  nothing");
        }
    }

    private static String names(List<RetainedTensor> tensors) {
        List<RetainedTensor> largest = tensors.stream()
                .sorted((a, b) -> Long.compare(b.bytes(), a.bytes()))
                .limit(TENSORS_NAMED)
                .toList();
        String named = largest.stream().map(RetainedTensor::name).collect(Collectors.joining(", "));
        int more = tensors.size() - largest.size();
        String count = tensors.size() == 1 ? "" : tensors.size() + " tensors: ";
        return count + named + (more == 0 ? "" : " and " + more + " more");
    }

    private static long bytes(List<RetainedTensor> tensors) {
        return tensors.stream().mapToLong(RetainedTensor::bytes).sum();
    }

    /** A layer's row, or that of several alike in a row. */
    private record Row(LayerUse first, LayerUse last, int count) {
        boolean takes(LayerUse next) {
            return stem(first.layer()).equals(stem(next.layer()))
                    && first.parameters() == next.parameters()
                    && first.retainedBytes() == next.retainedBytes()
                    && first.flops() == next.flops()
                    && first.recomputedFlops() == next.recomputedFlops()
                    && first.recomputedNodes() == next.recomputedNodes();
        }

        private static String stem(String layer) {
            return layer.replaceFirst("\\.\\d+$", "");
        }

        String name() {
            String own = first.layer().isEmpty() ? "(the model itself)" : first.layer();
            return count == 1 ? own : own + " … " + last.layer().substring(stem(last.layer()).length() + 1);
        }
    }

    private void printLayers() {
        List<Row> rows = new ArrayList<>();
        for (LayerUse layer : report.layers()) {
            Row last = rows.isEmpty() ? null : rows.getLast();
            if (last != null && last.takes(layer)) {
                rows.set(rows.size() - 1, new Row(last.first(), layer, last.count() + 1));
            } else {
                rows.add(new Row(layer, layer, 1));
            }
        }
        line("");
        line("%-24s %12s %12s %12s %12s", "Layer (each)", "parameters", "retained", "operations", "recomputed");
        for (Row row : rows.subList(0, Math.min(MOST_ROWS, rows.size()))) {
            line("%-24s %12s %12s %12s %12s", row.name(), String.format(Locale.ROOT, "%,d", row.first().parameters()),
                    size(row.first().retainedBytes()), flops(row.first().flops()),
                    flops(row.first().recomputedFlops()));
        }
        if (rows.size() > MOST_ROWS) {
            line("… and %d more", rows.size() - MOST_ROWS);
        }
    }

    private void row(String label, String amount, String note, Object... values) {
        line("  %-20s %10s   %s", label, amount, String.format(Locale.ROOT, note, values));
    }

    private void line(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values).stripTrailing());
    }

    private static String size(long bytes) {
        return ByteSize.format(bytes);
    }

    private static String percent(long part, long whole) {
        return String.format(Locale.ROOT, "%.1f %%", whole == 0 ? 0 : 100.0 * part / whole);
    }

    /** With three significant digits: {@code 1.23 GFLOP}. */
    private static String flops(long count) {
        if (count < 1000) {
            return count + " FLOP";
        }
        double value = count;
        int prefix = 0;
        while (value >= 999.5 && prefix < 5) {
            value /= 1000;
            prefix++;
        }
        int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
        return String.format(Locale.ROOT, "%." + digits + "f %cFLOP", value, " KMGTP".charAt(prefix));
    }
}
