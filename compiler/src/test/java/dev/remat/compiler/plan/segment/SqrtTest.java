package dev.remat.compiler.plan.segment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.List;
import org.junit.jupiter.api.Test;

class SqrtTest {
    /** As in a stage that takes a gradient before it computes anything: there is nothing to cut, and an end. */
    @Test
    void whatBeginsWithTheBackwardPassIsNotCut() {
        RematProblem problem = RematProblem.of(
                "late",
                List.of(
                        ProblemNode.of("taken", Role.BACKWARD).withCost(1).withResult(ProblemValue.of("g", 10)),
                        ProblemNode.of("forward", Role.FORWARD)
                                .withCost(1)
                                .withInputs(0)
                                .withResult(ProblemValue.of("y", 10))),
                List.of(1));
        OperatorSequence sequence = new Sqrt().plan(problem, PlannerOptions.none());
        assertThat(sequence.steps()).containsExactly(0, 1);
    }
}
