package dev.remat.cli.report;

import static dev.remat.cli.console.Format.percent;
import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import dev.remat.cli.chunk.ChunkText;
import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.ModelTitle;
import dev.remat.cli.option.Target;
import dev.remat.cli.search.BoundText;
import dev.remat.cli.search.SearchTrace;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.account.Kind;
import dev.remat.compiler.account.LayerUse;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.RetainedTensor;
import dev.remat.compiler.account.Stay;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.target.CostModel;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A plan's report as people read it. */
public final class PlanText {
    private static final int NAMES_WIDTH = 64;
    private static final int MOST_ROWS = 16;
    private static final int MOST_TENSORS = 6;
    private static final double NANOS_PER_MILLI = 1e6;

    private final PlanAccount account;
    private final Compilation compilation;
    private final PrintStream out;
    private final boolean whole;
    /** Everything above the layers, whose labels and amounts stand below each other. */
    private final Table table = new Table("  ", LEFT, RIGHT, LEFT);

    /** @param whole lists every tensor and layer instead of the largest and the first */
    public PlanText(PlanAccount account, PrintStream out, boolean whole) {
        this.account = account;
        this.compilation = account.compilation();
        this.out = out;
        this.whole = whole;
    }

    /** @param trace of the search that found the plan */
    public void print(SearchTrace trace) {
        line(
                "%s, planned for %s by %s",
                ModelTitle.of(compilation.model()),
                compilation.plan().target(),
                compilation.sequence().strategy());
        printMemory();
        printCompute();
        account.movement().ifPresent(moved -> {
            line("");
            line("Moved in a step");
            new MovedText(moved, account).rows().forEach(row -> row(row.label(), row.amount(), "%s", row.note()));
        });
        printRetained();
        table.print(out);
        printLayers();
        printSearch(trace);
        account.measured().ifPresent(measured -> new ComparisonText(measured, out).print());
        out.flush();
    }

    private void printSearch(SearchTrace trace) {
        if (trace.isKnown()) {
            out.println();
            out.println("Search: none, as the plan was found before; --no-cache searches anew");
            return;
        }
        if (trace.lines().isEmpty()) {
            return;
        }
        out.println();
        out.println("Search: what was found, and what it recomputes");
        Table lines = new Table("  ", RIGHT, LEFT, RIGHT, LEFT);
        for (SearchTrace.Line found : trace.lines()) {
            lines.row(
                    String.format(Locale.ROOT, "%.1f s", found.seconds()), found.who(), found.overhead(), found.what());
        }
        lines.print(out);
    }

    private void printMemory() {
        long arena = compilation.memory().arenaBytes();
        line("");
        line("Memory");
        row(
                "arena",
                size(arena),
                "everything the step needs; %s more than is live at the peak",
                percent(arena - account.peakLiveBytes(), account.peakLiveBytes()));
        compilation
                .search()
                .budgetBytes()
                .ifPresent(budget -> row(
                        "budget",
                        size(budget),
                        "%s to spare%s",
                        size(account.spareBytes().orElseThrow()),
                        tightened()));
        Target.besideArena(compilation.plan())
                .ifPresent(bytes -> row("process", size(bytes), "beside the arena, where it runs here"));
        row("keeping all", size(compilation.search().keepAll().bytes()), "the arena without recomputation");
        row(
                "floor",
                size(compilation.search().floor().bytes()),
                "no plan needs less: %s for parameters and optimizer,",
                size(account.residentBytes()));
        row("", "", "then %s", compilation.search().floor().setBy());
        if (!compilation.step().chunked().isEmpty()) {
            row("whole floor", size(compilation.floorOfWhole().bytes()), "no plan needs less without chunks");
        }
        compilation.step().chunked().forEach(loss -> row("chunks", size(loss.bytes()), "%s", ChunkText.of(loss)));
        line("");
        line(
                "At the peak, where %s computes %s",
                account.step(account.peakStep()).location(),
                account.step(account.peakStep()).name());
        row("parameters", size(account.atPeak(Kind.PARAMETER)), "");
        row("optimizer state", size(account.atPeak(Kind.OPTIMIZER)), "");
        rowUnlessNone("statistics", account.atPeak(Kind.STATISTICS));
        rowUnlessNone("batch", account.atPeak(Kind.BATCH));
        row("gradients", size(account.atPeak(Kind.GRADIENT)), "of parameters");
        row(
                "activations",
                size(activations()),
                "with statistics and batch at most %s at any time",
                size(account.maxActivationBytes()));
        row("workspace", size(account.atPeak(Kind.WORKSPACE)), "");
        List<Stay> tensors = account.tensorsAtPeak();
        List<Stay> shown = tensors.subList(0, whole ? tensors.size() : Math.min(MOST_TENSORS, tensors.size()));
        Table names = new Table("    ", LEFT, RIGHT, LEFT, LEFT);
        shown.forEach(t ->
                names.row(t.name().orElseThrow(), size(t.bytes()), t.kind().purpose(), locationText(t.location())));
        table.lines(names);
        if (shown.size() < tensors.size()) {
            line("    and %d more", tensors.size() - shown.size());
        }
    }

    /** Without statistics and batch. */
    private long activations() {
        return account.atPeak().activations() - account.atPeak(Kind.STATISTICS) - account.atPeak(Kind.BATCH);
    }

    private String tightened() {
        int rounds = compilation.search().tighteningRounds();
        return rounds == 0
                ? ""
                : "; asked " + (rounds == 1 ? "once" : rounds + " times") + " for less, since arenas exceeded it";
    }

    private static String locationText(Location location) {
        return location.equals(Location.NONE) ? "" : location.toString();
    }

    private void rowUnlessNone(String label, long bytes) {
        if (bytes > 0) {
            row(label, size(bytes), "");
        }
    }

    private void printCompute() {
        String spent = compilation.costs().isTime() ? "time" : "cost";
        line("");
        line("Compute");
        row(
                "one step",
                flops(account.work().flops()),
                "about %s by %s",
                time(compilation.costs(), compilation.cost()),
                compilation.costs().name());
        row(
                "recomputed",
                flops(account.work().recomputeFlops()),
                "%s of the step's operations, %s of its %s",
                percent(account.work().recomputeFlops(), account.work().flops()),
                percent(compilation.recomputedShare()),
                spent);
        if (compilation.search().budgetBytes().isPresent()) {
            row(
                    "at least",
                    percent(compilation.lowerBoundOverhead()),
                    "of its %s, for any plan within the budget (%s)%s",
                    spent,
                    compilation.search().bound().scope().text(),
                    account.proven() ? ": this one is the best" : "");
            BoundText.lacked().ifPresent(name -> row("without", name, "%s", BoundText.CONSEQUENCE));
        }
        row(
                "kernels",
                String.valueOf(compilation.plan().steps().size()),
                "%sfor %d forward, %d backward, %d update and %d recomputed nodes",
                compilation.rounds() == 1 ? "" : compilation.plan().runs() + " runs in a step; ",
                account.work().forward(),
                account.work().backward(),
                account.work().update(),
                account.work().recomputed());
        NormalizedRows.tell(compilation.model(), table);
    }

    /** Nanoseconds as milliseconds; abstract costs as they are. */
    static String time(CostModel costs, long cost) {
        if (!costs.isTime()) {
            return Count.of(cost, "unit");
        }
        double millis = cost / NANOS_PER_MILLI;
        return String.format(Locale.ROOT, millis < 1000 ? "%.2f ms" : "%.2f s", millis < 1000 ? millis : millis / 1000);
    }

    private void printRetained() {
        Map<String, List<RetainedTensor>> byReason = new LinkedHashMap<>();
        account.retained()
                .forEach(tensor -> byReason.computeIfAbsent(tensor.reason(), reason -> new ArrayList<>())
                        .add(tensor));
        line("");
        line("Retained for the backward pass%s", compilation.rounds() == 1 ? "" : " of a micro-batch");
        byReason.forEach((reason, tensors) -> row(reason, size(bytes(tensors)), "%s", names(tensors)));
        if (byReason.isEmpty()) {
            line("  nothing");
        }
        if (whole) {
            Table names = new Table("    ", LEFT, RIGHT, LEFT, LEFT);
            account.retained()
                    .forEach(t -> names.row(t.value().name(), size(t.bytes()), t.reason(), locationText(t.location())));
            table.lines(names);
        }
    }

    /** The largest, as many as a line holds. */
    private static String names(List<RetainedTensor> tensors) {
        List<String> names = tensors.stream()
                .sorted(Comparator.comparingLong((RetainedTensor t) -> -t.bytes()))
                .map(tensor -> tensor.value().name())
                .toList();
        StringBuilder line = new StringBuilder(names.getFirst());
        int named = 1;
        while (named < names.size() && line.length() + names.get(named).length() < NAMES_WIDTH) {
            line.append(", ").append(names.get(named++));
        }
        line.append(named < names.size() ? ", …" : "");
        return names.size() == 1 ? line.toString() : names.size() + " tensors: " + line;
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
            return count == 1
                    ? own
                    : own + " … " + last.layer().substring(stem(last.layer()).length() + 1);
        }
    }

    private void printLayers() {
        List<Row> rows = new ArrayList<>();
        for (LayerUse layer : account.layers()) {
            Row last = rows.isEmpty() ? null : rows.getLast();
            if (last != null && last.takes(layer)) {
                rows.set(rows.size() - 1, new Row(last.first(), layer, last.count() + 1));
            } else {
                rows.add(new Row(layer, layer, 1));
            }
        }
        CostModel costs = compilation.costs();
        int shown = whole ? rows.size() : Math.min(MOST_ROWS, rows.size());
        Table layers = new Table("", LEFT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT).line("");
        if (compilation.rounds() > 1) {
            layers.line("Retained in a micro-batch; recomputed and timed in all of a step");
        }
        layers.row("Layer (each)", "parameters", "retained", "recomputed", "forward", "backward", "again");
        for (Row row : rows.subList(0, shown)) {
            LayerUse layer = row.first();
            layers.row(
                    row.name(),
                    String.format(Locale.ROOT, "%,d", layer.parameters()),
                    size(layer.retainedBytes()),
                    flops(layer.recomputedFlops()),
                    time(costs, layer.forwardCost()),
                    time(costs, layer.backwardCost()),
                    time(costs, layer.recomputedCost()));
        }
        if (rows.size() > shown) {
            layers.line("… and " + (rows.size() - shown) + " more");
        }
        layers.print(out);
    }

    private void row(String label, String amount, String note, Object... values) {
        table.row(label, amount, String.format(Locale.ROOT, note, values));
    }

    private void line(String format, Object... values) {
        table.line(String.format(Locale.ROOT, format, values));
    }

    private static String size(long bytes) {
        return ByteSize.format(bytes);
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
