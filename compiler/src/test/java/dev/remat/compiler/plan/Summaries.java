package dev.remat.compiler.plan;

import dev.remat.ir.graph.Role;
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
                        node("a", Role.FORWARD, 10, 0),
                        node("b", Role.FORWARD, 10, 0),
                        node("sum_a", Role.FORWARD, 1, 1),
                        node("sum_b", Role.FORWARD, 1, 2),
                        node("end", Role.BACKWARD, 1, 3, 4)),
                List.of());
    }

    /** At a cost of 1. */
    public static ProblemNode node(String id, Role role, long bytes, int... inputs) {
        return ProblemNode.of(id, role).withCost(1).withInputs(inputs).withResult(ProblemValue.of(id, bytes));
    }
}
