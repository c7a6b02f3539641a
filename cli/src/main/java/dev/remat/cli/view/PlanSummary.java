package dev.remat.cli.view;

import static dev.remat.cli.console.Format.percent;
import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import dev.remat.cli.chunk.ChunkText;
import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.Console;
import dev.remat.cli.option.Target;
import dev.remat.cli.report.MovedText;
import dev.remat.cli.report.NormalizedRows;
import dev.remat.cli.report.Table;
import dev.remat.cli.search.BoundText;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.RetainedTensor;
import dev.remat.compiler.account.StepFacts;
import dev.remat.ir.diagnostic.Count;
import java.io.PrintStream;
import java.util.List;
import java.util.OptionalLong;

/** A plan on one screen of 80 columns and 25 lines: what it takes, and its memory over the step. */
public final class PlanSummary {
    private static final int ROWS = 8;
    private static final int LEAST_ROWS = 4;
    private static final int MOST_COLUMNS = 120;

    private final PlanAccount account;
    private final Compilation plan;
    private final Console console;
    private final Table table = new Table("  ", LEFT, RIGHT, LEFT);

    public PlanSummary(PlanAccount account, Console console) {
        this.account = account;
        this.plan = account.compilation();
        this.console = console;
    }

    public void print() {
        PrintStream out = console.out();
        int width = Math.min(ViewText.COLUMNS, console.outColumns());
        out.println(ViewText.cut(ViewText.title(plan), width));
        out.println();
        printMemory();
        printCompute();
        List<MovedText.Row> moved = account.movement()
                .map(movement -> new MovedText(movement, account).rows())
                .orElse(List.of());
        moved.forEach(row -> table.row(row.label(), row.amount(), row.note()));
        table.lines().forEach(line -> out.println(ViewText.cut(line, width)));
        out.println();
        StepFacts peakStep = account.step(account.peakStep());
        int columns = Math.min(MOST_COLUMNS, console.outColumns());
        new MemoryCurve(account, columns, Math.max(LEAST_ROWS, ROWS - moved.size()), console.unicode())
                .lines()
                .forEach(out::println);
        String place = ViewText.shortPlace(peakStep.location());
        String peak = "  peak at step " + account.peakStep() + " of " + account.stepCount() + ": " + peakStep.name()
                + (place.isEmpty() ? "" : ", " + place);
        out.println(ViewText.fit(peak, width));
        out.println(
                ViewText.fit("  --verbose lists tensors and layers; 'remat explain' tells why each is there", width));
        out.flush();
    }

    private void printMemory() {
        long arena = plan.memory().arenaBytes();
        long live = account.peakLiveBytes();
        table.row(
                "arena",
                ByteSize.format(arena),
                percent(live == 0 ? 0 : (double) (arena - live) / live) + " more than is live at the peak");
        OptionalLong budget = plan.search().budgetBytes();
        if (budget.isPresent()) {
            long spare = account.spareBytes().orElseThrow();
            table.row("budget", ByteSize.format(budget.getAsLong()), ByteSize.format(spare) + " to spare");
        }
        Target.besideArena(plan.plan())
                .ifPresent(
                        bytes -> table.row("process", ByteSize.format(bytes), "beside the arena, where it runs here"));
        table.row("keeping all", ByteSize.format(plan.search().keepAll().bytes()), "the arena without recomputation");
        table.row(
                "floor",
                ByteSize.format(plan.search().floor().bytes()),
                "no plan needs less; parameters and optimizer: " + ByteSize.format(account.residentBytes()));
        if (!plan.step().chunked().isEmpty()) {
            long whole = plan.floorOfWhole().bytes();
            table.row("whole floor", ByteSize.format(whole), "no plan needs less without chunks");
        }
        plan.step().chunked().forEach(loss -> table.row("chunks", ByteSize.format(loss.bytes()), ChunkText.of(loss)));
    }

    private void printCompute() {
        String spent = plan.costs().isTime() ? "time" : "cost";
        table.row(
                "one step",
                ViewText.time(plan.costs(), plan.cost()),
                "in " + kernels() + ", by " + plan.costs().name());
        account.measured()
                .ifPresent(measured -> table.row(
                        "measured",
                        measured.groupsMeasured() + " of " + measured.groups(),
                        "fusion groups; --verbose holds them against " + measured.predictor()));
        long flops = account.work().flops();
        table.row(
                "recomputed",
                percent(plan.recomputedShare()),
                "of its " + spent + ", "
                        + percent(flops == 0 ? 0 : (double) account.work().recomputeFlops() / flops)
                        + " of its operations");
        if (plan.search().budgetBytes().isPresent()) {
            table.row(
                    "at least",
                    percent(plan.lowerBoundOverhead()),
                    "for any plan within the budget" + (account.proven() ? ": this one is the best" : ""));
            BoundText.lacked().ifPresent(name -> table.row("without", name, BoundText.CONSEQUENCE));
        }
        long bytes =
                account.retained().stream().mapToLong(RetainedTensor::bytes).sum();
        table.row(
                "retained",
                ByteSize.format(bytes),
                Count.of(account.retained().size(), "tensor")
                        + (plan.rounds() == 1 ? " for the backward pass; " : " kept in each micro-batch; ")
                        + account.recomputed().size() + " are recomputed");
        NormalizedRows.tell(plan.model(), table);
    }

    private String kernels() {
        String kernels = Count.of(plan.plan().steps().size(), "kernel");
        return plan.rounds() == 1 ? kernels : plan.plan().runs() + " runs of " + kernels;
    }
}
