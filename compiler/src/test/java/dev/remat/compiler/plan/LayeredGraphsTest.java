package dev.remat.compiler.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.solve.ProblemWriter;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.RematProblem;
import org.junit.jupiter.api.Test;

class LayeredGraphsTest {
    @Test
    void haveExactlySoManyNodes() {
        for (int nodes = 4; nodes < 40; nodes++) {
            assertThat(LayeredGraphs.of(1, nodes).nodeCount()).isEqualTo(nodes);
            assertThat(LayeredGraphs.withUpdates(1, nodes).nodeCount()).isEqualTo(nodes);
        }
        assertThat(LayeredGraphs.of(1, 10_000).nodeCount()).isEqualTo(10_000);
        assertThatThrownBy(() -> LayeredGraphs.of(1, 3)).hasMessageContaining("at least 4");
    }

    @Test
    void areTheSameForTheSameSeedOnly() {
        String one = ProblemWriter.write(LayeredGraphs.withUpdates(5, 300));
        assertThat(ProblemWriter.write(LayeredGraphs.withUpdates(5, 300))).isEqualTo(one);
        assertThat(ProblemWriter.write(LayeredGraphs.withUpdates(6, 300))).isNotEqualTo(one);
    }

    @Test
    void haveABackwardForEachForwardNodeAndLongSkips() {
        RematProblem problem = LayeredGraphs.of(3, 2000);
        int forward = 0;
        int backward = 0;
        int longSkips = 0;
        for (int n = 1; n < problem.nodeCount(); n++) {
            forward += problem.role(n) == Role.FORWARD ? 1 : 0;
            backward += problem.role(n) == Role.BACKWARD ? 1 : 0;
            assertThat(problem.output(n) || problem.readerCount(n) > 0 || problem.role(n) == Role.BACKWARD)
                    .as("%s has a reader", problem.nodeId(n))
                    .isTrue();
            for (int k = 0; k < problem.inputCount(n) && problem.role(n) == Role.FORWARD; k++) {
                longSkips += problem.input(n, k) > 0 && n - problem.input(n, k) > 500 ? 1 : 0;
            }
        }
        // The loss is the only forward node without a backward of its own.
        assertThat(forward).isEqualTo(backward + 1);
        assertThat(longSkips).isPositive();
    }

    @Test
    void drawCostsAndBytesFromTwoOrdersOfMagnitude() {
        RematProblem problem = LayeredGraphs.of(4, 4000);
        long small = 0;
        long large = 0;
        int forward = 0;
        for (int n = 1; problem.role(n) == Role.FORWARD && !problem.nodeId(n).equals("loss"); n++) {
            assertThat(problem.cost(n)).isBetween(10L, 1000L);
            assertThat(problem.bytes(n)).isBetween(1000L, 100_000L);
            small += problem.bytes(n) < 10_000 ? 1 : 0;
            large += problem.cost(n) > 100 ? 1 : 0;
            forward++;
        }
        assertThat(small / (double) forward).isBetween(0.45, 0.55);
        assertThat(large / (double) forward).isBetween(0.45, 0.55);
    }

    @Test
    void updateEachParameterOnceAfterItsLastReader() {
        RematProblem problem = LayeredGraphs.withUpdates(3, 400);
        int updates = 0;
        int parameters = 0;
        for (int n = 0; n < problem.nodeCount(); n++) {
            updates += problem.role(n) == Role.UPDATE ? 1 : 0;
            parameters += problem.nodeId(n).endsWith(".weight") ? 1 : 0;
        }
        assertThat(updates).isEqualTo(parameters).isGreaterThan(20);
        assertThat(LayeredGraphs.of(3, 400).residentBytes()).isLessThan(problem.residentBytes());
    }
}
