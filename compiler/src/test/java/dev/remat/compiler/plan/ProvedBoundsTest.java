package dev.remat.compiler.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.segment.Segments;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import org.junit.jupiter.api.Test;

final class ProvedBoundsTest {
    private static final RematProblem CHAIN = Chains.equal(4);
    private static final OperatorSequence KEPT = new KeepAll().plan(CHAIN, PlannerOptions.none());

    private final ProvedBounds bounds = new ProvedBounds(SearchListener.NONE);

    @Test
    void withoutProofsEveryNodeOnceIsTheBound() {
        assertThat(bounds.covering(CHAIN, KEPT)).isEqualTo(new LowerBound(CHAIN.baselineCost(), BoundScope.ANY_ORDER));
    }

    @Test
    void theHighestBoundThatCoversThePlanCounts() {
        long base = CHAIN.baselineCost();
        bounds.proved(new LowerBound(base + 1, BoundScope.GIVEN_ORDER));
        bounds.proved(new LowerBound(base + 2, BoundScope.givenOrder(1)));
        bounds.proved(new LowerBound(base - 1, BoundScope.ANY_ORDER));
        assertThat(bounds.covering(CHAIN, KEPT).cost()).isEqualTo(base + 2);
        OperatorSequence sqrt = new Segments(2).plan(CHAIN, PlannerOptions.none());
        assertThat(bounds.covering(CHAIN, sqrt).cost()).isEqualTo(base + 1);
    }

    @Test
    void proofsForATighterBudgetAreNotHeard() {
        PlannerOptions options = PlannerOptions.withBudget(100).telling(bounds);
        options.within(90).listener().proved(new LowerBound(1_000_000, BoundScope.ANY_ORDER));
        assertThat(bounds.covering(CHAIN, KEPT).cost()).isEqualTo(CHAIN.baselineCost());
        options.within(110).listener().proved(new LowerBound(1_000_000, BoundScope.ANY_ORDER));
        assertThat(bounds.covering(CHAIN, KEPT).cost()).isEqualTo(1_000_000);
    }
}
