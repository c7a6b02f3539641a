package dev.remat.cli.view;

import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.report.Table;
import dev.remat.compiler.account.Kind;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.PlanAccount.Relief;
import dev.remat.compiler.account.Stay;
import dev.remat.compiler.account.StepFacts;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;

/** One step of a plan, or its fullest one, as people read it. */
public final class StepText {
    private static final int MOST_TENSORS = 12;
    private static final int MOST_RELIEFS = 6;
    private static final int NAME = 40;

    private final PlanAccount account;
    private final PrintStream out;

    public StepText(PlanAccount account, PrintStream out) {
        this.account = account;
        this.out = out;
    }

    public void print(int step) {
        StepFacts facts = account.step(step);
        head(facts, "Step " + step + " of " + account.stepCount() + rounds(facts));
        out.println(ByteSize.format(facts.liveBytes()) + " in memory while it runs");
        kinds(facts.live());
        tensors("Reads", facts.reads());
        tensors("Leaves in memory", facts.writes());
        tensors("Is the last to need", facts.dies());
        tensors("In memory", account.stays(step));
        out.flush();
    }

    public void printPeak() {
        StepFacts facts = account.step(account.peakStep());
        head(
                facts,
                "Peak of " + ByteSize.format(facts.liveBytes()) + " at step " + facts.index() + " of "
                        + account.stepCount() + rounds(facts));
        kinds(facts.live());
        tensors("In memory", account.stays(facts.index()));
        out.println();
        List<Relief> reliefs = account.reliefs(MOST_RELIEFS);
        if (reliefs.isEmpty()) {
            out.println("No single tensor that is let go lowers the peak");
        } else {
            out.println("What would lower it, each alone, cheapest for a byte first");
            Table table = new Table("  ", LEFT, RIGHT, RIGHT);
            reliefs.forEach(relief -> table.row(
                    "drop " + ViewText.fit(relief.value().name(), NAME),
                    ViewText.time(account.compilation().costs(), relief.price().cost()),
                    ByteSize.format(-relief.price().peakBytes()) + " less"));
            table.print(out);
        }
        long planned = account.compilation().evaluation().peakBytes();
        if (planned != facts.liveBytes()) {
            out.println(
                    "  of the " + ByteSize.format(planned) + " that the planner reckons with, before kernels merge");
        }
        out.flush();
    }

    private void head(StepFacts facts, String start) {
        String place = ViewText.place(facts.location());
        String what = start + ", where " + (place.isEmpty() ? "the step" : place) + " computes " + facts.name() + " by "
                + facts.op() + " (" + facts.role().label() + (facts.again() ? ", again" : "") + ", "
                + ViewText.time(account.compilation().costs(), facts.cost())
                + (facts.times() == 1 ? ")" : " each time)");
        out.println(ViewText.title(account.compilation()));
        out.println();
        ViewText.wrap(what, ViewText.COLUMNS).forEach(out::println);
    }

    private static String rounds(StepFacts facts) {
        return facts.times() == 1 ? "" : ", run " + facts.times() + " times";
    }

    private void kinds(Map<Kind, Long> live) {
        Table table = new Table("  ", LEFT, RIGHT);
        live.forEach((kind, bytes) -> table.row(kind.label(), ByteSize.format(bytes)));
        table.print(out);
    }

    private void tensors(String title, List<Stay> tensors) {
        out.println();
        out.println(title + (tensors.isEmpty() ? " nothing" : ""));
        Table table = new Table("  ", LEFT, RIGHT, LEFT, LEFT);
        tensors.stream()
                .limit(MOST_TENSORS)
                .forEach(each -> table.row(
                        ViewText.fit(each.name().orElse("workspace"), NAME),
                        ByteSize.format(each.bytes()),
                        each.kind().label(),
                        each.first() + " to " + each.last()));
        table.print(out);
        if (tensors.size() > MOST_TENSORS) {
            out.println("  and " + (tensors.size() - MOST_TENSORS) + " more");
        }
    }
}
