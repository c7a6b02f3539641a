package dev.remat.compiler.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.ir.plan.OperatorSequence;
import java.util.List;
import org.junit.jupiter.api.Test;

class FoundPlansTest {
    private final FoundPlans found = new FoundPlans(PlannerOptions.withBudget(100));

    /** @param node what its only step runs */
    private static Proposal proposal(int node, long peak, long cost) {
        return new Proposal(
                new OperatorSequence("told", new int[] {node}, List.of()),
                new SequenceEvaluation(peak, 0, new long[1], cost, 1, 0, List.of()));
    }

    private List<Long> cheaperThan(long cost) {
        return found.cheaperThan(cost).stream()
                .map(proposal -> proposal.evaluation().cost())
                .toList();
    }

    @Test
    void keepsWhatFitsTheCheapestFirst() {
        found.found(proposal(0, 100, 7));
        found.found(proposal(1, 101, 4));
        found.found(proposal(2, 90, 5));
        found.found(proposal(3, 80, 8));
        assertThat(cheaperThan(8)).containsExactly(5L, 7L);
        assertThat(cheaperThan(5)).isEmpty();
    }

    @Test
    void keepsEachSequenceOnce() {
        found.found(proposal(0, 100, 7));
        found.found(proposal(0, 100, 7));
        assertThat(cheaperThan(100)).containsExactly(7L);
    }

    /** A search for less memory, or of another problem, finds nothing that could be taken as it is. */
    @Test
    void hearsNothingOfSearchesWithoutProofs() {
        found.withoutProofs().found(proposal(0, 100, 7));
        PlannerOptions asked = PlannerOptions.withBudget(100).telling(found);
        asked.within(90).listener().found(proposal(0, 90, 7));
        assertThat(cheaperThan(100)).isEmpty();
        asked.within(100).listener().found(proposal(0, 90, 7));
        assertThat(cheaperThan(100)).containsExactly(7L);
    }
}
