package dev.remat.compiler.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.PlannerOptions.Effort;
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
    private static final RematProblem CHAIN = Chains.of(
            new long[] {6, 1, 6, 6, 2, 6, 6, 1, 6, 3, 6, 6}, new long[] {1, 9, 1, 2, 8, 1, 3, 9, 1, 2, 1, 1});
    private static final PlannerOptions TIGHT = PlannerOptions.withBudget(42).with(Effort.QUICK);
    private static final String FORWARD = "f0 f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 ";
    /** Strategies that find a best plan of so small a graph, and there may meet. */
    private static final List<String> BEST =
            List.of("lower-sets", "hierarchy", "peak-priority", "anneal", "interval-cp");

    private static OperatorSequence plan(String strategy) {
        return Strategies.named(strategy).plan(CHAIN, TIGHT);
    }

    private static String steps(String strategy) {
        return Chains.steps(CHAIN, plan(strategy));
    }

    @Test
    void keepAllRepeatsNothingAndCollectionEverything() {
        String backward = "b11 b10 b9 b8 b7 b6 b5 b4 b3 b2 b1 b0";
        assertThat(steps("keep-all")).isEqualTo(FORWARD + backward);
        assertThat(steps("collection")).isEqualTo(FORWARD + FORWARD + backward);
    }

    /** Nine tenths of 39 are 35.1: 9 + 9 + 8 + 3 + 2 + 2 and the first three of cost 1 leave f8, f10 and f11. */
    @Test
    void speedDropsTheCheap() {
        assertThat(steps("speed"))
                .isEqualTo(FORWARD + "f10 f11 b11 b10 b9 f8 b8 b7 b6 b5 b4 b3 b2 b1 b0");
    }

    /** Ten inner nodes are cut vertices, and every third of them is kept: f3, f6 and f9. */
    @Test
    void memoryKeepsEveryThird() {
        assertThat(steps("memory"))
                .isEqualTo(FORWARD + "b11 b10 b9 f7 f8 b8 b7 b6 f4 f5 b5 b4 b3 f0 f1 f2 b2 b1 b0");
    }

    /** Near a third and two thirds of the bytes the narrowest are f4 with 2 and f7 with 1. */
    @Test
    void segmentsCutBehindTheNarrow() {
        assertThat(steps("segments=3"))
                .isEqualTo(FORWARD + "b11 b10 b9 b8 b7 f5 f6 b6 b5 b4 f0 f1 f2 f3 b3 b2 b1 b0");
    }

    /**
     * Up to a sixth of cost a byte everything is kept; from there to a third, all six values of 6 bytes that cost 1 are
     * dropped: f0, f2, f5, f8, f10, f11.
     */
    @Test
    void minCutDropsWhatCostsLeastForItsBytes() {
        assertThat(steps("min-cut"))
                .isEqualTo(FORWARD + "f10 f11 b11 b10 b9 f8 b8 b7 b6 f5 b5 b4 b3 f2 b2 b1 f0 b0");
    }

    /** Three values must be dropped, and none costs less than 1. */
    @Test
    void thoseThatFollowABudgetPayThree() {
        for (String strategy : BEST) {
            SequenceEvaluation evaluation = SequenceEvaluator.evaluate(CHAIN, plan(strategy));
            assertThat(evaluation.recomputedCost()).as(strategy).isEqualTo(3);
            assertThat(evaluation.peakBytes()).as(strategy).isLessThanOrEqualTo(42);
        }
        assertThat(SequenceEvaluator.evaluate(CHAIN, plan("chain-dp")).recomputedCost()).isGreaterThan(3);
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
            assertThat(other == null || bothBest).as("%s takes the steps of %s", planner.name(), other).isTrue();
        }
        assertThat(seen).hasSizeGreaterThan(planners.size() - BEST.size());
    }
}
