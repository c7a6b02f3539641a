package dev.remat.compiler.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.List;
import org.junit.jupiter.api.Test;

final class BoundScopeTest {
    private static final RematProblem PROBLEM = RematProblem.of(
            "branches",
            List.of(
                    ProblemNode.of("a", Role.FORWARD).withResult(ProblemValue.of("a", 1)),
                    ProblemNode.of("b", Role.FORWARD).withResult(ProblemValue.of("b", 1)),
                    ProblemNode.of("u", Role.UPDATE).withInputs(0).withResult(ProblemValue.of("u", 1)),
                    ProblemNode.of("c", Role.BACKWARD).withInputs(0, 1).withResult(ProblemValue.of("c", 1))),
            List.of(3));

    @Test
    void anyOrderCoversEverything() {
        assertThat(covers(BoundScope.ANY_ORDER, 1, 0, 1, 3, 2)).isTrue();
    }

    @Test
    void theGivenOrderIsThatOfFirstComputations() {
        assertThat(covers(BoundScope.GIVEN_ORDER, 0, 1, 0, 2, 3)).isTrue();
        assertThat(covers(BoundScope.GIVEN_ORDER, 1, 0, 2, 3)).isFalse();
    }

    @Test
    void updatesMayStandAnywhere() {
        assertThat(covers(BoundScope.GIVEN_ORDER, 0, 1, 3, 2)).isTrue();
    }

    @Test
    void computationsAreCounted() {
        assertThat(covers(BoundScope.givenOrder(2), 0, 1, 0, 2, 3)).isTrue();
        assertThat(covers(BoundScope.givenOrder(2), 0, 1, 0, 0, 2, 3)).isFalse();
    }

    @Test
    void withCountedComputationsRecomputationsFollowTheGivenOrderToo() {
        assertThat(covers(BoundScope.givenOrder(2), 0, 1, 0, 1, 2, 3)).isTrue();
        assertThat(covers(BoundScope.givenOrder(2), 0, 1, 1, 2, 0, 3)).isTrue();
        assertThat(covers(BoundScope.givenOrder(2), 0, 1, 1, 0, 2, 3)).isFalse();
        assertThat(covers(BoundScope.GIVEN_ORDER, 0, 1, 1, 0, 2, 3)).isTrue();
    }

    @Test
    void textNamesWhatIsCovered() {
        assertThat(BoundScope.ANY_ORDER.text()).isEqualTo("any-order");
        assertThat(BoundScope.GIVEN_ORDER.text()).isEqualTo("given-order");
        assertThat(BoundScope.givenOrder(3).text()).isEqualTo("given-order, at most 3 computations");
    }

    @Test
    void textReadsBack() {
        for (BoundScope scope : List.of(
                BoundScope.ANY_ORDER, BoundScope.GIVEN_ORDER, BoundScope.givenOrder(1), BoundScope.givenOrder(3))) {
            assertThat(BoundScope.parse(scope.text())).isEqualTo(scope);
        }
        for (String text : List.of("", "some-order", "any-order, at most 0 computations", "any-order,")) {
            assertThatThrownBy(() -> BoundScope.parse(text)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static boolean covers(BoundScope scope, int... steps) {
        return scope.covers(PROBLEM, new OperatorSequence("test", steps, List.of()));
    }
}
