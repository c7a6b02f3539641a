package dev.remat.cli.report;

import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.search.BoundText;
import dev.remat.compiler.plan.BoundScope;
import dev.remat.compiler.plan.evaluate.Floor;
import dev.remat.compiler.solve.Movement;
import dev.remat.compiler.solve.SolveAnswer;
import dev.remat.ir.plan.RematProblem;
import java.io.PrintStream;
import java.util.Locale;

/** An answer to a planning problem, for people. */
public final class SolveText {
    private final RematProblem problem;
    private final SolveAnswer answer;
    private final long keepAllBytes;
    private final PrintStream out;
    private final Table table = new Table("  ", LEFT, RIGHT, LEFT);

    public SolveText(RematProblem problem, SolveAnswer answer, long keepAllBytes, PrintStream out) {
        this.problem = problem;
        this.answer = answer;
        this.keepAllBytes = keepAllBytes;
        this.out = out;
    }

    public void print() {
        Floor floor = Floor.of(problem);
        long cost = answer.cost().orElseThrow();
        long baseline = answer.baselineCost().orElseThrow();
        long nodes = problem.nodeCount();
        long residents = 0;
        for (int n = 0; n < nodes; n++) {
            residents += problem.residentNode(n) ? 1 : 0;
        }
        table.line(problem + " by " + answer.sequence().strategy());
        answer.budgetBytes().ifPresent(bytes -> bytes("budget", bytes, ""));
        bytes("peak", answer.peakBytes().orElseThrow(), "");
        bytes("keeping all", keepAllBytes, "");
        bytes(
                "floor",
                floor.bytes(),
                "; no sequence needs less"
                        + (floor.node() < 0
                                ? ""
                                : ": '" + problem.nodeId(floor.node()) + "' runs with so much in memory"));
        boolean tiers = !problem.tiers().isEmpty();
        row(
                tiers ? "time" : "cost",
                cost,
                String.format(
                        Locale.ROOT,
                        "%s%.3f %% over %d, the cost of every node once",
                        tiers ? "ns, " : "",
                        baseline == 0 ? 0 : 100.0 * (cost - baseline) / baseline,
                        baseline));
        answer.lowerBoundCost().ifPresent(bound -> row("lower bound", bound, remark(cost, bound)));
        BoundText.lacked().ifPresent(name -> table.row("without", name, BoundText.CONSEQUENCE));
        int steps = answer.sequence().length();
        long moves = answer.sequence().steps().filter(step -> step < 0).count();
        row(
                "steps",
                steps,
                "of which " + (steps - moves - (nodes - residents)) + " run a node again"
                        + (tiers ? " and " + moves + " move a value or await it" : ""));
        if (tiers) {
            movement(Movement.of(problem, answer.sequence()));
        }
        answer.seconds().ifPresent(seconds -> table.row("found in", String.format(Locale.ROOT, "%.2f s", seconds)));
        table.print(out);
        out.flush();
    }

    private void movement(Movement movement) {
        MovementText text = new MovementText(movement, answer.cost().orElseThrow());
        row("stored", movement.storeBytes(), ByteSize.format(movement.storeBytes()));
        row("fetched", movement.fetchBytes(), ByteSize.format(movement.fetchBytes()));
        for (Movement.TierUse tier : movement.tiers()) {
            row(
                    tier.name(),
                    tier.peakBytes(),
                    ByteSize.format(tier.peakBytes()) + " in use at most; " + text.lanes(tier));
        }
        row("exposed", movement.exposedNanos(), "ns, " + text.exposed());
        if (movement.interferenceNanos() > 0) {
            row("interference", movement.interferenceNanos(), "ns, " + text.interference());
        }
    }

    /** What the bound covers, and how far the plan is from it. */
    private String remark(long cost, long bound) {
        String scope = answer.boundScope().orElseThrow();
        if (!answer.proven()) {
            return String.format(
                    Locale.ROOT, "at most %.3f %% could be saved (%s)", 100.0 * (cost - bound) / cost, scope);
        }
        boolean all = scope.equals(BoundScope.ANY_ORDER.text());
        return "no sequence " + (all ? "" : "in its scope ") + "is cheaper (" + scope + ")";
    }

    private void bytes(String name, long bytes, String remark) {
        row(
                name,
                bytes,
                String.format(
                        Locale.ROOT,
                        "%s, %.1f %% of keeping all%s",
                        ByteSize.format(bytes),
                        keepAllBytes == 0 ? 100.0 : 100.0 * bytes / keepAllBytes,
                        remark));
    }

    private void row(String name, long value, String remark) {
        table.row(name, String.valueOf(value), remark);
    }
}
