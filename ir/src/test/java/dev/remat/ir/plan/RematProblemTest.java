package dev.remat.ir.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.graph.Role;
import java.util.List;
import org.junit.jupiter.api.Test;

class RematProblemTest {
    private static final ProblemNode W = ProblemNode.resident("w", 7);

    private static ProblemNode node(String id, int... inputs) {
        return ProblemNode.of(id, Role.FORWARD).withInputs(inputs).withResult(ProblemValue.of(id, 10));
    }

    private static RematProblem problem(ProblemNode... nodes) {
        return RematProblem.of("test", List.of(nodes), List.of());
    }

    private static void assertInvalid(int node, String message, ProblemNode... nodes) {
        assertThatThrownBy(() -> problem(nodes))
                .isInstanceOfSatisfying(
                        InvalidProblemException.class, e -> assertThat(e.node()).isEqualTo(node))
                .hasMessageContaining(message);
    }

    @Test
    void numbersResultsThroughInNodeOrder() {
        RematProblem problem = problem(
                W,
                node("a", 0).withResult(ProblemValue.of("mean", 1)),
                node("b", 1, 2, 1).withCost(3));
        assertThat(problem.valueCount()).isEqualTo(4);
        assertThat(problem.firstResult(2)).isEqualTo(3);
        assertThat(problem.producer(2)).isEqualTo(1);
        assertThat(problem.inputCount(2)).as("distinct inputs").isEqualTo(2);
        assertThat(problem.readerCount(1)).isEqualTo(1);
        assertThat(problem.reader(1, 0)).isEqualTo(2);
        assertThat(problem.residentBytes()).isEqualTo(7);
        assertThat(problem.baselineCost()).isEqualTo(3);
    }

    @Test
    void followsViewsToTheirStorage() {
        ProblemNode first = ProblemNode.of("v", Role.FORWARD).withInputs(0).withResult(ProblemValue.view("v", 0));
        ProblemNode second = ProblemNode.of("u", Role.FORWARD).withInputs(1).withResult(ProblemValue.view("u", 1));
        RematProblem problem = problem(W, first, second);
        assertThat(problem.storage(2)).isZero();
        assertThat(problem.resident(2)).isTrue();
        assertThat(problem.bytes(2)).isZero();
    }

    @Test
    void rejectsWhatContradictsItself() {
        assertInvalid(0, "before it is computed", node("a", 0));
        assertInvalid(1, "duplicate node id", node("a"), node("a"));
        assertInvalid(
                1,
                "view of an input",
                node("a"),
                ProblemNode.of("v", Role.FORWARD).withResult(ProblemValue.view("v", 0)));
        assertInvalid(
                1,
                "take the place",
                node("a"),
                ProblemNode.of("v", Role.FORWARD).withResult(ProblemValue.inPlace("v", 10, 0)));
        assertInvalid(
                1,
                "neither resident nor computed once",
                node("a"),
                ProblemNode.of("u", Role.UPDATE).withWrites(0));
        assertThat(problem(node("a").once(), ProblemNode.of("u", Role.UPDATE).withWrites(0))
                        .writes(1))
                .containsExactly(0);
        assertInvalid(0, "no effect", W.withPin(Pin.RETAIN));
        assertInvalid(0, "must run once", node("a").once().withPin(Pin.RECOMPUTE));
        assertInvalid(1, "2^60", node("a").withCost(1L << 60), node("b").withCost(1));
        assertThatThrownBy(() -> RematProblem.of("test", List.of(W), List.of(1)))
                .hasMessageContaining("output 1");
    }

    @Test
    void rejectsReadsOfWhatHasBeenOverwritten() {
        ProblemNode update =
                ProblemNode.of("u", Role.UPDATE).withInputs(0).withWrites(0).withResult(ProblemValue.view("new", 0));
        assertInvalid(2, "after node 'u' has changed it", W, update, node("a", 0));
        assertThat(problem(W, update, node("a", 1)).nodeCount())
                .as("the new content may be read")
                .isEqualTo(3);
        ProblemNode view = ProblemNode.of("v", Role.FORWARD).withInputs(0).withResult(ProblemValue.view("v", 0));
        ProblemNode laterUpdate = ProblemNode.of("u", Role.UPDATE).withInputs(0).withWrites(0);
        assertInvalid(3, "reads 'v' after", W, view, laterUpdate, node("a", 1));
    }
}
