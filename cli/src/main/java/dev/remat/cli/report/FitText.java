package dev.remat.cli.report;

import static dev.remat.cli.console.Format.percent;
import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import dev.remat.cli.chunk.ChunkText;
import dev.remat.cli.console.ByteSize;
import dev.remat.cli.search.BoundText;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.Stay;
import dev.remat.compiler.fit.NextExtent;
import dev.remat.compiler.fit.SymbolFit;
import dev.remat.compiler.search.MemoryFloor;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The largest extent that fits, for people. */
public final class FitText {
    private static final int TENSORS = 6;

    private final String symbol;
    private final long memoryBytes;
    private final SymbolFit fit;
    private final Compilation plan;
    private final PlanAccount account;
    private final PrintStream out;
    private final Table table = new Table("  ", LEFT, RIGHT, LEFT);

    public FitText(String symbol, long memoryBytes, SymbolFit fit, PlanAccount account, PrintStream out) {
        this.symbol = symbol;
        this.memoryBytes = memoryBytes;
        this.fit = fit;
        this.plan = fit.plan();
        this.account = account;
        this.out = out;
    }

    public void print() {
        String others = plan.model().extents().entrySet().stream()
                .filter(bound -> !bound.getKey().equals(symbol))
                .map(bound -> bound.getKey() + "=" + bound.getValue())
                .collect(Collectors.joining(", "));
        int parts = plan.microBatches();
        line(
                "%s%s%s on %s: the largest %s %s %s is %d",
                plan.plan().model(),
                others.isEmpty() ? "" : " with " + others,
                parts == 1 ? "" : " in " + parts + " micro-batches",
                plan.plan().target(),
                symbol,
                fit.next() instanceof NextExtent.NotFound ? "found to fit" : "that fits",
                size(memoryBytes),
                fit.extent());
        line("");
        printStep();
        printNext();
        printWhole();
        printPeak();
        table.print(out);
        out.flush();
    }

    private void printStep() {
        long arena = plan.memory().arenaBytes();
        row(
                "arena",
                size(arena),
                "%s to spare, planned by %s",
                size(memoryBytes - arena),
                plan.sequence().strategy());
        row(
                "recomputed",
                percent(plan.recomputedShare()),
                "of the step's %s; %sat least %s for any plan (%s)",
                plan.costs().isTime() ? "time" : "cost",
                account.movement().isPresent() ? "with waiting " : "",
                percent(plan.lowerBoundOverhead()),
                plan.search().bound().scope().text());
        BoundText.lacked().ifPresent(name -> row("without", name, "%s", BoundText.CONSEQUENCE));
        row(
                "one step",
                time(plan.cost()),
                "%s for each of %s, by %s",
                each(plan.cost(), fit.extent()),
                symbol,
                plan.costs().name());
        plan.step().chunked().forEach(loss -> row("chunks", size(loss.bytes()), "%s", ChunkText.of(loss)));
        account.movement()
                .map(moved -> new MovedText(moved, account).rows())
                .orElse(List.of())
                .forEach(each -> row(each.label(), each.amount(), "%s", each.note()));
        SymbolFit.KeepAll kept = fit.keepAll();
        if (kept.extent() == 0) {
            row("keeping all", "none", "fits: not even %s=%d does without recomputation", symbol, fit.step());
        } else {
            row(
                    "keeping all",
                    symbol + "=" + kept.extent(),
                    "fits without recomputation, with %s and %s for each",
                    size(kept.arenaBytes()),
                    each(kept.cost(), kept.extent()));
        }
    }

    private void printNext() {
        String next = symbol + "=" + fit.nextExtent();
        switch (fit.next()) {
            case NextExtent.Impossible(MemoryFloor floor) -> {
                row(next, "impossible", "no plan needs less than %s,", tooMuch(floor.bytes()));
                row("", "", "for %s", floor.setBy());
            }
            case NextExtent.NotFound(MemoryFloor floor, long smallest) -> {
                row(next, "not found", "the smallest plan found needs %s;", tooMuch(smallest));
                row("", "", "whether one fits is open, but none needs less than %s,", size(floor.bytes()));
                row("", "", "for %s", floor.setBy());
            }
            case NextExtent.Invalid(String message) -> row(next, "invalid", "%s", message);
            case NextExtent.NotAsked(boolean late) ->
                row(
                        next,
                        "not asked",
                        late ? "since --time-limit ended the search" : "since --max is %d; memory is not what binds",
                        fit.extent());
        }
    }

    private void printWhole() {
        fit.whole().ifPresent(whole -> {
            String most = whole.ceiling() == 0 ? "none" : symbol + "=" + whole.ceiling();
            row("whole losses", most, "could fit without chunks, where %s needs", symbol + "=" + fit.nextExtent());
            row(
                    "",
                    "",
                    "at least %s, for %s",
                    size(whole.nextFloor().bytes()),
                    whole.nextFloor().setBy());
        });
    }

    /** With the excess, where rounding hides it. */
    private String tooMuch(long bytes) {
        return size(bytes)
                + (size(bytes).equals(size(memoryBytes))
                        ? ", " + size(bytes - memoryBytes) + " more than there is"
                        : "");
    }

    private void printPeak() {
        line("");
        boolean binds = fit.next() instanceof NextExtent.Impossible || fit.next() instanceof NextExtent.NotFound;
        line(
                "%s, where %s computes %s",
                binds ? "What binds" : "At the peak",
                account.step(account.peakStep()).location(),
                account.step(account.peakStep()).name());
        row("parameters", size(account.atPeak().parameters()), "");
        row("optimizer state", size(account.atPeak().optimizer()), "");
        row("gradients", size(account.atPeak().gradients()), "of parameters");
        row("activations", size(account.atPeak().activations()), "with statistics and batch");
        row("workspace", size(account.atPeak().workspace()), "");
        List<Stay> tensors = account.tensorsAtPeak();
        List<Stay> shown = tensors.subList(0, Math.min(TENSORS, tensors.size()));
        Table names = new Table("    ", LEFT, RIGHT, LEFT);
        shown.forEach(tensor -> names.row(
                tensor.name().orElseThrow(), size(tensor.bytes()), tensor.kind().purpose()));
        table.lines(names);
        if (shown.size() < tensors.size()) {
            line("    and %d more", tensors.size() - shown.size());
        }
    }

    private String time(long cost) {
        return PlanText.time(plan.costs(), cost);
    }

    private String each(long cost, long extent) {
        return plan.costs().isTime()
                ? time(cost / extent)
                : String.format(Locale.ROOT, "%.2f units", (double) cost / extent);
    }

    private static String size(long bytes) {
        return ByteSize.format(bytes);
    }

    private void row(String label, String amount, String note, Object... values) {
        table.row(label, amount, String.format(Locale.ROOT, note, values));
    }

    private void line(String format, Object... values) {
        table.line(String.format(Locale.ROOT, format, values));
    }
}
