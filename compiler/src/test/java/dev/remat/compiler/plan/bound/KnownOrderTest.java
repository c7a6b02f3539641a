package dev.remat.compiler.plan.bound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.List;
import org.junit.jupiter.api.Test;

class KnownOrderTest {
    /** A weight, a chain of three, a branch from its first to its last, and an update that reads the middle. */
    private static final RematProblem PROBLEM = RematProblem.of(
            "branch",
            List.of(
                    ProblemNode.resident("w", 1),
                    node("a", Role.FORWARD, 0),
                    node("b", Role.FORWARD, 1),
                    node("branch", Role.FORWARD, 1),
                    node("u", Role.UPDATE, 2),
                    node("c", Role.BACKWARD, 2, 3)),
            List.of(5));

    private static ProblemNode node(String id, Role role, int... inputs) {
        return ProblemNode.of(id, role).withInputs(inputs).withResult(ProblemValue.of(id, 1));
    }

    @Test
    void aLongestPathRunsInOneOrder() {
        KnownOrder order = KnownOrder.always(PROBLEM);
        assertThat(order.line()).containsExactly(1, 2, 4);
        assertThat(order.inLine(2)).isTrue();
        assertThat(order.inLine(3)).isFalse();
        assertThat(order.last()[3]).isZero();
        assertThat(order.next()[3]).isEqualTo(3);
        assertThat(order.last()[5]).isEqualTo(1);
    }

    @Test
    void theGivenOrderHoldsForAllButUpdates() {
        KnownOrder order = KnownOrder.given(PROBLEM);
        assertThat(order.line()).containsExactly(1, 2, 3, 5);
        assertThat(order.last()[4]).isEqualTo(1);
        assertThat(order.next()[4]).isEqualTo(4);
    }

    /** Twin of equal length: the two lines are not to be taken for one another. */
    @Test
    void linesOfOneLengthMayDiffer() {
        RematProblem problem = RematProblem.of(
                "same",
                List.of(
                        node("a", Role.FORWARD),
                        node("b", Role.FORWARD, 0),
                        node("x", Role.FORWARD),
                        node("u", Role.UPDATE, 1)),
                List.of());
        assertThat(KnownOrder.always(problem).line()).containsExactly(0, 1, 3);
        assertThat(KnownOrder.given(problem).line()).containsExactly(0, 1, 2);
    }
}
