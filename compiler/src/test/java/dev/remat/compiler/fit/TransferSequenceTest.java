package dev.remat.compiler.fit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.List;
import org.junit.jupiter.api.Test;

class TransferSequenceTest {
    private static final OperatorSequence AGAIN = new OperatorSequence("by-hand", new int[] {0, 1, 0, 2}, List.of());

    /** Two forward nodes and a backward one that reads the first, and the second or not. */
    private static RematProblem problem(long scale, boolean readsBoth) {
        ProblemNode a = ProblemNode.of("a", Role.FORWARD).withCost(scale).withResult(ProblemValue.of("a", 10 * scale));
        ProblemNode b = ProblemNode.of("b", Role.FORWARD)
                .withCost(2)
                .withInputs(0)
                .withResult(ProblemValue.of("b", 20 * scale));
        ProblemNode back = ProblemNode.of("back", Role.BACKWARD)
                .withCost(3)
                .withInputs(readsBoth ? new int[] {0, 1} : new int[] {0})
                .withResult(ProblemValue.of("back", 1));
        return RematProblem.of("p", List.of(a, b, back), List.of());
    }

    @Test
    void bytesAndCostsAreThoseOfTheOtherProblem() {
        RematProblem large = problem(7, true);
        assertThat(TransferSequence.run(problem(1, true), AGAIN, large)).hasValueSatisfying(proposal -> {
            assertThat(proposal.evaluation().peakBytes()).isEqualTo(7 * 30 + 1);
            assertThat(proposal.evaluation().cost()).isEqualTo(7 + 2 + 7 + 3);
            assertThat(SequenceEvaluator.evaluate(large, proposal.sequence()).valid())
                    .isTrue();
        });
    }

    @Test
    void anotherGraphGetsNothing() {
        assertThat(TransferSequence.run(problem(1, true), AGAIN, problem(1, false)))
                .isEmpty();
    }
}
