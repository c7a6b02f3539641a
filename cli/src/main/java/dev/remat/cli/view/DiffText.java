package dev.remat.cli.view;

import static dev.remat.cli.console.Format.percent;
import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.ModelTitle;
import dev.remat.cli.report.Table;
import dev.remat.compiler.account.OtherDecision;
import dev.remat.compiler.account.PlanDiff;
import dev.remat.compiler.account.PlanDiff.Change;
import dev.remat.compiler.account.PlanDiff.Sum;
import dev.remat.compiler.account.PlanDigest;
import dev.remat.compiler.account.PlanDigest.AtPeak;
import dev.remat.compiler.account.PlanDigest.Holding;
import dev.remat.ir.diagnostic.Count;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/** What tells two plans apart, as people read it. */
public final class DiffText {
    /** Tensors listed where not every one is asked for. */
    public static final int MOST_CHANGES = 16;

    private static final int NAME = 34;

    private final PlanDiff diff;
    private final PrintStream out;
    private final boolean whole;

    /** @param whole lists every tensor instead of the largest */
    public DiffText(PlanDiff diff, PrintStream out, boolean whole) {
        this.diff = diff;
        this.out = out;
        this.whole = whole;
    }

    public void print() {
        PlanDigest a = diff.a();
        PlanDigest b = diff.b();
        title("A", a);
        title("B", b);
        if (!a.modelHash().equals(b.modelHash())) {
            out.println("   the models differ; tensors are compared by name");
        }
        out.println();
        Table table = new Table("  ", LEFT, RIGHT, RIGHT, RIGHT).row("", "A", "B", "B - A");
        bytes(table, "arena", a.arenaBytes(), b.arenaBytes());
        bytes(table, "live at the peak", a.peakBytes(), b.peakBytes());
        AtPeak before = a.atPeak();
        AtPeak after = b.atPeak();
        bytes(table, "  parameters", before.parameters(), after.parameters());
        bytes(table, "  optimizer", before.optimizer(), after.optimizer());
        bytes(table, "  gradients", before.gradients(), after.gradients());
        bytes(table, "  activations", before.activations(), after.activations());
        bytes(table, "  workspace", before.workspace(), after.workspace());
        if (a.millis().isPresent() && b.millis().isPresent()) {
            millis(table, a.millis().getAsDouble(), b.millis().getAsDouble());
        }
        table.row(
                "recomputed",
                percent(a.overhead()),
                percent(b.overhead()),
                signed("%+.1f %%", 100 * (b.overhead() - a.overhead())));
        table.row(
                "kernels",
                String.valueOf(a.kernels()),
                String.valueOf(b.kernels()),
                String.format(Locale.ROOT, "%+d", b.kernels() - a.kernels()));
        table.print(out);
        out.println();
        printChanges();
        out.flush();
    }

    private void title(String letter, PlanDigest plan) {
        String budget = plan.budgetBytes().isPresent()
                ? " within " + ByteSize.format(plan.budgetBytes().getAsLong())
                : "";
        String model = ModelTitle.of(plan.model(), plan.symbols(), plan.microBatches());
        out.println(letter + "  " + model + ", planned for " + plan.target() + " by " + plan.strategy() + budget);
    }

    private static void bytes(Table table, String label, long a, long b) {
        String sign = b > a ? "+" : b < a ? "-" : "";
        table.row(label, ByteSize.format(a), ByteSize.format(b), sign + ByteSize.format(Math.abs(b - a)));
    }

    private static void millis(Table table, double a, double b) {
        table.row(
                "time of a step",
                String.format(Locale.ROOT, "%.2f ms", a),
                String.format(Locale.ROOT, "%.2f ms", b),
                signed("%+.2f ms", b - a));
    }

    private static String signed(String format, double value) {
        return String.format(Locale.ROOT, format, value == 0 ? 0.0 : value);
    }

    private void printChanges() {
        if (diff.changes().isEmpty()) {
            out.println("Both keep and recompute the same tensors");
            return;
        }
        Table table = new Table("", LEFT, RIGHT, LEFT, LEFT, RIGHT)
                .row("Kept or recomputed otherwise", "bytes", "A", "B", "B - A");
        int shown = whole
                ? diff.changes().size()
                : Math.min(MOST_CHANGES, diff.changes().size());
        for (Change change : diff.changes().subList(0, shown)) {
            table.row(
                    ViewText.fit(change.value(), NAME),
                    ByteSize.format(change.bytes()),
                    state(change.a()),
                    state(change.b()),
                    isTimed(change) ? signed("%+.3f ms", change.millis()) : "");
        }
        table.print(out);
        if (shown < diff.changes().size()) {
            out.println("and " + (diff.changes().size() - shown) + " more");
        }
        out.println();
        printPrices(diff.changes().subList(0, shown));
        out.println("A alone keeps " + sum(diff.keptOnlyInA()) + ", B alone " + sum(diff.keptOnlyInB()));
        if (diff.recomputeMillis() != 0) {
            out.println(signed("what they recompute differs by %+.2f ms", diff.recomputeMillis()));
        }
    }

    /** What either plan would come to with another decision about a tensor. */
    private void printPrices(List<Change> changes) {
        List<Change> priced = changes.stream()
                .filter(change -> !change.otherwiseInA().isEmpty()
                        || !change.otherwiseInB().isEmpty())
                .toList();
        if (priced.isEmpty()) {
            return;
        }
        Table table = new Table("", LEFT, LEFT, LEFT).row("What deciding otherwise would come to", "A", "B");
        for (Change change : priced) {
            int lines =
                    Math.max(change.otherwiseInA().size(), change.otherwiseInB().size());
            for (int i = 0; i < lines; i++) {
                table.row(
                        i == 0 ? ViewText.fit(change.value(), NAME) : "",
                        price(change.otherwiseInA(), i),
                        price(change.otherwiseInB(), i));
            }
        }
        table.print(out);
        out.println();
    }

    private static String price(List<OtherDecision> others, int index) {
        if (index >= others.size()) {
            return "";
        }
        OtherDecision other = others.get(index);
        String treated = switch (other.change()) {
            case KEEP -> "kept";
            case DROP -> "dropped";
        };
        return other.difference()
                .map(difference -> "if " + treated + " "
                        + (difference.millis().isPresent()
                                ? signed("%+.3f ms", difference.millis().getAsDouble())
                                : String.format(Locale.ROOT, "%+d", difference.cost())))
                .orElse("cannot be " + treated);
    }

    private static boolean isTimed(Change change) {
        return change.a().map(Holding::millis).filter(OptionalDouble::isPresent).isPresent()
                || change.b()
                        .map(Holding::millis)
                        .filter(OptionalDouble::isPresent)
                        .isPresent();
    }

    private static String state(Optional<Holding> holding) {
        return holding.map(each -> each.state().label() + (each.times() > 1 ? " " + each.times() + "×" : ""))
                .orElse("freed");
    }

    private static String sum(Sum sum) {
        return ByteSize.format(sum.bytes()) + " in " + Count.of(sum.tensors(), "tensor");
    }
}
