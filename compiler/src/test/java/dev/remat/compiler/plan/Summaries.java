package dev.remat.compiler.plan;

import dev.remat.ir.plan.Phase;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.List;

/** Wide a and b, and narrow summaries of them that come later than they could. */
public final class Summaries {
    private Summaries() {}

    public static RematProblem problem() {
        return RematProblem.of(
                "summaries",
                List.of(
                        ProblemNode.resident("data", 1),
                        node("a", Phase.FORWARD, 10, 0),
                        node("b", Phase.FORWARD, 10, 0),
                        node("sum_a", Phase.FORWARD, 1, 1),
                        node("sum_b", Phase.FORWARD, 1, 2),
                        node("end", Phase.BACKWARD, 1, 3, 4)),
                List.of());
    }

    /** At a cost of 1. */
    public static ProblemNode node(String id, Phase phase, long bytes, int... inputs) {
        return ProblemNode.of(id, phase).withCost(1).withInputs(inputs).withResult(ProblemValue.of(id, bytes));
    }
}
