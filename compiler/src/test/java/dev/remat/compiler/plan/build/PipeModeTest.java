package dev.remat.compiler.plan.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.List;
import org.junit.jupiter.api.Test;

class PipeModeTest {
    /** Two micro-batches of a → b, forward both before the gradients of either; those of 2 begin at node 2. */
    private static final RematProblem PROBLEM = RematProblem.of(
            "two",
            List.of(
                    node("a1", Role.FORWARD),
                    node("b1", Role.FORWARD, 0),
                    node("a2", Role.FORWARD),
                    node("b2", Role.FORWARD, 2),
                    node("db1", Role.BACKWARD, 1),
                    node("da1", Role.BACKWARD, 0, 4),
                    node("db2", Role.BACKWARD, 3),
                    node("da2", Role.BACKWARD, 2, 6)),
            List.of());

    private static ProblemNode node(String id, Role role, int... inputs) {
        return ProblemNode.of(id, role).withCost(1).withInputs(inputs).withResult(ProblemValue.of(id, 10));
    }

    private static String steps(PipeMode mode) {
        OperatorSequence sequence = mode.plan(PROBLEM, PlannerOptions.none());
        assertThat(SequenceEvaluator.evaluate(PROBLEM, sequence).violations()).isEmpty();
        return String.join(" ", sequence.steps().mapToObj(PROBLEM::nodeId).toList());
    }

    @Test
    void computeAgainWhatTheirNamesSay() {
        List<String> steps = PipeMode.ALL.stream()
                .map(mode -> mode.withLast(node -> PROBLEM.nodeId(node).endsWith("2")))
                .map(PipeModeTest::steps)
                .toList();
        assertThat(steps)
                .containsExactly(
                        "a1 b1 a2 b2 db1 da1 db2 da2",
                        "a1 b1 a2 b2 a1 b1 db1 da1 db2 da2",
                        "a1 b1 a2 b2 a1 b1 db1 da1 a2 b2 db2 da2");
    }

    @Test
    void oneMicroBatchIsTheLast() {
        assertThat(steps(PipeMode.ALL.get(1))).isEqualTo("a1 b1 a2 b2 db1 da1 db2 da2");
    }

    @Test
    void areStrategies() {
        for (PipeMode mode : PipeMode.ALL) {
            assertThat(Strategies.named(mode.name())).isEqualTo(mode);
            assertThat(Strategies.names()).contains(mode.name());
        }
    }
}
