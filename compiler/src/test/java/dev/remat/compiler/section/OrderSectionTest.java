package dev.remat.compiler.section;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.Tier;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Updates of tensors in a row, each of which reads a gradient that is there. */
class OrderSectionTest {
    private static final int UPDATES = 5;
    private static final long BYTES = 1000;
    /** A tensor is stored or fetched in the time of its update. */
    private static final List<Tier> TIERS = List.of(new Tier("disk", 1L << 20, 1_000_000_000, 1_000_000_000, 0));

    /** @param home of the tensors that are updated */
    private static RematProblem updates(int home) {
        List<ProblemNode> nodes = new ArrayList<>();
        for (int k = 0; k < UPDATES; k++) {
            ProblemNode state = ProblemNode.resident("p" + k, BYTES);
            nodes.add(home == ProblemNode.DEVICE ? state : state.withHome(home));
        }
        for (int k = 0; k < UPDATES; k++) {
            nodes.add(ProblemNode.of("update" + k, Role.UPDATE)
                    .withCost(BYTES)
                    .withInputs(k)
                    .withWrites(k)
                    .once()
                    .notOffloadable());
        }
        return RematProblem.of("updates", nodes, List.of(), home == ProblemNode.DEVICE ? List.of() : TIERS);
    }

    /** One in front, one that is updated and one behind are all that ever is in memory. */
    @Test
    void theFastestHidesAllButTheFirstFetchAndTheLastStore() {
        RematProblem problem = updates(0);
        List<SequenceEvaluation> ways = OrderSection.run(problem).stream()
                .map(sequence -> SequenceEvaluator.evaluate(problem, sequence))
                .toList();
        assertThat(ways).extracting(SequenceEvaluation::violations).allMatch(List::isEmpty);
        assertThat(ways).extracting(SequenceEvaluation::peakBytes).containsExactly(3 * BYTES, 2 * BYTES, BYTES);
        assertThat(ways)
                .extracting(SequenceEvaluation::cost)
                .isSorted()
                .startsWith((UPDATES + 2) * BYTES)
                .endsWith(3 * UPDATES * BYTES);
    }

    @Test
    void whatStaysInTheArenaIsOnlyRun() {
        List<OperatorSequence> ways = OrderSection.run(updates(ProblemNode.DEVICE));
        assertThat(ways).singleElement().matches(sequence -> !sequence.movesValues() && sequence.length() == UPDATES);
    }
}
