package dev.remat.cli;

import dev.remat.compiler.plan.BoundScope;
import dev.remat.compiler.plan.Floor;
import dev.remat.compiler.solve.SolveAnswer;
import dev.remat.ir.plan.RematProblem;
import java.io.PrintStream;
import java.util.Locale;

/** An answer to a planning problem, for people. */
final class SolveText {
    private final RematProblem problem;
    private final SolveAnswer answer;
    private final long keepAllBytes;
    private final PrintStream out;

    SolveText(RematProblem problem, SolveAnswer answer, long keepAllBytes, PrintStream out) {
        this.problem = problem;
        this.answer = answer;
        this.keepAllBytes = keepAllBytes;
        this.out = out;
    }

    void print() {
        Floor floor = Floor.of(problem);
        long cost = answer.cost().orElseThrow();
        long baseline = answer.baselineCost().orElseThrow();
        long nodes = problem.nodeCount();
        long residents = 0;
        for (int n = 0; n < nodes; n++) {
            residents += problem.residentNode(n) ? 1 : 0;
        }
        line("%s by %s", problem, answer.sequence().strategy());
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
        line(
                "  %-13s%19d   %.3f %% over %d, the cost of every node once",
                "cost", cost, baseline == 0 ? 0 : 100.0 * (cost - baseline) / baseline, baseline);
        answer.lowerBoundCost().ifPresent(bound -> line("  %-13s%19d   %s", "lower bound", bound, remark(cost, bound)));
        line(
                "  %-13s%19d   of which %d run a node again",
                "steps", answer.sequence().length(), answer.sequence().length() - (nodes - residents));
        answer.seconds().ifPresent(seconds -> line("  %-13s%17.2f s", "found in", seconds));
        out.flush();
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
        line(
                "  %-13s%19d   %s, %.1f %% of keeping all%s",
                name, bytes, ByteSize.format(bytes), keepAllBytes == 0 ? 100.0 : 100.0 * bytes / keepAllBytes, remark);
    }

    private void line(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
    }
}
