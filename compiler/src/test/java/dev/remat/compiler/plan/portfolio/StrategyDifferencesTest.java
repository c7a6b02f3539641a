package dev.remat.compiler.plan.portfolio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.Chains;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.segment.Segments;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A chain of twelve on which strategies can be followed by hand. Everything takes 55 bytes and a gradient of one; the
 * budget of 42 asks for 14 bytes less, so that at least three values, none of which has more than 6, must be dropped.
 */
class StrategyDifferencesTest {
    private static final RematProblem CHAIN =
            Chains.of(new long[] {6, 1, 6, 6, 2, 6, 6, 1, 6, 3, 6, 6}, new long[] {1, 9, 1, 2, 8, 1, 3, 9, 1, 2, 1, 1});
    private static final PlannerOptions TIGHT = PlannerOptions.withBudget(42).with(Effort.QUICK);
    private static final String FORWARD = "f0 f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 ";
    /** Strategies that find a best plan of so small a graph, and there may meet. */
    private static final List<String> BEST = List.of("hierarchy", "peak-priority", "anneal", "interval-cp");

    private static OperatorSequence plan(String strategy) {
        return Strategies.named(strategy).plan(CHAIN, TIGHT);
    }

    private static String steps(String strategy) {
        return Chains.steps(CHAIN, plan(strategy));
    }

    @Test
    void keepAllRecomputesNothing() {
        assertThat(steps("keep-all")).isEqualTo(FORWARD + "b11 b10 b9 b8 b7 b6 b5 b4 b3 b2 b1 b0");
    }

    /** Near a third and two thirds of the bytes the narrowest are f4 with 2 and f7 with 1. */
    @Test
    void segmentsCutAfterTheNarrow() {
        assertThat(steps("segments=3")).isEqualTo(FORWARD + "b11 b10 b9 b8 b7 f5 f6 b6 b5 b4 f0 f1 f2 f3 b3 b2 b1 b0");
    }

    /**
     * Up to a sixth of cost a byte everything is kept; from there to a third, all six values of 6 bytes that cost 1 are
     * dropped: f0, f2, f5, f8, f10, f11.
     */
    @Test
    void minCutDropsWhatCostsLeastForItsBytes() {
        assertThat(steps("min-cut")).isEqualTo(FORWARD + "f10 f11 b11 b10 b9 f8 b8 b7 b6 f5 b5 b4 b3 f2 b2 b1 f0 b0");
    }

    /**
     * Of 1, 2, 3, 5, 7, 10 and 12 segments, 7 cost least of those that fit, 8. Near it 8 cost 7 and 9 cost 4: with cuts
     * after f1, f2, f4, f5, f6, f7, f9 and f10, f0, f3 and f8 go. With 10, f0 and f6 go, which leaves 43 bytes.
     */
    @Test
    void sqrtRefinesTheNumberOfSegments() {
        assertThat(steps("sqrt")).isEqualTo(FORWARD + "b11 b10 b9 f8 b8 b7 b6 b5 b4 f3 b3 b2 b1 f0 b0");
    }

    /**
     * Limits up to 5 keep 43 bytes or more. At 6 a segment ends with its second node each time, 6 + 1, 6 + 6, 2 + 6,
     * 6 + 1, 6 + 3, and what was first in it goes, at 14. Limits above that cost 21 or more, as they lose f1 with f4 or
     * f7.
     */
    @Test
    void chenBudgetCutsWhereTheLimitIsPassed() {
        assertThat(steps("chen-budget")).isEqualTo(FORWARD + "b11 b10 b9 f8 b8 b7 f6 b6 b5 f4 b4 b3 f2 b2 b1 f0 b0");
    }

    /**
     * Cut as finely as can be, f6 f7 and f8 f9 are segments and all others have a segment to themselves. Of its eight
     * parts f3 f4 and f10 f11 have two segments, so that f4 is run again from f3 on. What enters a run, f9, f7, f5, f2,
     * f1, stays until then: 17, where the best of the coarser cuts, after f1, f7 and f9, costs 19.
     */
    @Test
    void recursiveDividesPartsAgain() {
        assertThat(steps("recursive"))
                .isEqualTo(FORWARD + "b11 f10 b10 b9 f8 b8 b7 f6 b6 b5 f3 f4 b4 b3 f2 b2 b1 f0 b0");
    }

    /**
     * The same ten segments and nine checkpoints: each segment is run again from its own input, which stays, at 15.
     * Fewer checkpoints cost no less, and four segments with three cost 19.
     */
    @Test
    void revolveHasACheckpointForEachSegment() {
        assertThat(steps("revolve")).isEqualTo(FORWARD + "b11 f10 b10 b9 f8 b8 b7 f6 b6 b5 f4 b4 b3 f2 b2 b1 f0 b0");
    }

    /** Three values must be dropped, and none costs less than 1. */
    @Test
    void thoseThatFollowABudgetPayThree() {
        for (String strategy : BEST) {
            SequenceEvaluation evaluation = SequenceEvaluator.evaluate(CHAIN, plan(strategy));
            assertThat(evaluation.recomputedCost()).as(strategy).isEqualTo(3);
            assertThat(evaluation.peakBytes()).as(strategy).isLessThanOrEqualTo(42);
        }
        assertThat(SequenceEvaluator.evaluate(CHAIN, plan("sqrt")).recomputedCost())
                .isGreaterThan(3);
    }

    /** All others differ from each other and from those; {@link StrategiesTest} tells those apart on a larger graph. */
    @Test
    void noTwoTakeTheSameSteps() {
        List<Planner> planners = new ArrayList<>(Strategies.all());
        planners.add(new Segments(3));
        Map<String, String> seen = new LinkedHashMap<>();
        for (Planner planner : planners) {
            String other = seen.putIfAbsent(Chains.steps(CHAIN, planner.plan(CHAIN, TIGHT)), planner.name());
            boolean bothBest = BEST.contains(planner.name()) && other != null && BEST.contains(other);
            assertThat(other == null || bothBest)
                    .as("%s takes the steps of %s", planner.name(), other)
                    .isTrue();
        }
        assertThat(seen).hasSizeGreaterThan(planners.size() - BEST.size());
    }
}
