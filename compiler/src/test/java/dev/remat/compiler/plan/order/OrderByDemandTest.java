package dev.remat.compiler.plan.order;

import static dev.remat.compiler.plan.Summaries.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.RandomProblems;
import dev.remat.compiler.plan.Recurrences;
import dev.remat.compiler.plan.SearchLimits;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OrderByDemandTest {
    private static final int STATE = Recurrences.STATE;
    private static final int WEIGHT = Recurrences.WEIGHT;

    private static long peak(RematProblem problem) {
        return SequenceEvaluator.evaluate(problem, new KeepAll().plan(problem, PlannerOptions.none()))
                .peakBytes();
    }

    private static RematProblem byDemand(RematProblem problem) {
        return new Reordering(problem, new OrderByDemand(problem, new OrderRules(problem)).order()).problem();
    }

    /** One layer's sum and one product at a time, and states of a byte; given, the sums of all layers and a product. */
    @ParameterizedTest
    @CsvSource({"2, 3", "3, 5", "4, 12", "8, 20"})
    void addsUpOneLayerAfterTheOther(int layers, int steps) {
        RematProblem problem = Recurrences.of(layers, steps);
        int states = 2 * STATE * layers * steps;
        assertThat(peak(problem)).isGreaterThanOrEqualTo((2L * layers + 1) * WEIGHT);
        assertThat(peak(byDemand(problem))).isBetween((layers + 2L) * WEIGHT, (layers + 2L) * WEIGHT + states);
    }

    private static RematProblem together(RematProblem problem) {
        return new Reordering(problem, new OrderByDemand(problem, new OrderRules(problem)).together()).problem();
    }

    /**
     * A recurrence h, each step with a wide head whose gradient goes into d; two weights gather gradients from every d,
     * which is as wide. Neither heads nor what d leaves for the second weight need be kept side by side.
     */
    private static RematProblem twoWeights(int steps) {
        List<ProblemNode> nodes = new ArrayList<>(List.of(node("h0", Role.FORWARD, 1)));
        IntStream.range(1, steps).forEach(t -> nodes.add(node("h" + t, Role.FORWARD, 1, t - 1)));
        IntStream.range(0, steps).forEach(t -> nodes.add(node("head" + t, Role.FORWARD, 100, t)));
        int d = -1;
        int[] sums = {-1, -1};
        for (int t = steps - 1; t >= 0; t--) {
            int head = steps + t;
            nodes.add(d < 0 ? node("d" + t, Role.BACKWARD, 100, head) : node("d" + t, Role.BACKWARD, 100, head, d));
            d = nodes.size() - 1;
            for (int w = 0; w < sums.length; w++) {
                String id = "s" + t + "." + w;
                nodes.add(sums[w] < 0 ? node(id, Role.BACKWARD, 10, d) : node(id, Role.BACKWARD, 10, d, sums[w]));
                sums[w] = nodes.size() - 1;
            }
        }
        return RematProblem.of("weights", nodes, List.of(sums[0], sums[1]));
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 10, 40})
    void keepsNothingForLaterThatCanWait(int steps) {
        RematProblem problem = twoWeights(steps);
        assertThat(peak(problem)).isGreaterThan(100L * steps);
        assertThat(peak(byDemand(problem))).isGreaterThan(100L * steps);
        assertThat(peak(together(problem))).isLessThan(400L + 2L * steps);
    }

    @Test
    void togetherEveryNodeStandsOnceBehindWhatItNeeds() {
        for (int seed = 1; seed <= 200; seed++) {
            RematProblem problem = RandomProblems.trainingStep(seed, 3 + seed % 30);
            int[] order = new OrderByDemand(problem, new OrderRules(problem)).together();
            int[] sorted = order.clone();
            Arrays.sort(sorted);
            assertThat(sorted).isEqualTo(IntStream.range(0, problem.nodeCount()).toArray());
            RematProblem other = new Reordering(problem, order).problem();
            assertThat(SequenceEvaluator.evaluate(other, new KeepAll().plan(other, PlannerOptions.none()))
                            .violations())
                    .isEmpty();
        }
    }

    @Test
    void isTriedOnLargeProblems() {
        RematProblem problem = Recurrences.of(4, 300);
        assertThat(problem.nodeCount()).isGreaterThan(SearchLimits.ASKED_AROUND);
        Reordering found = Reorder.run(problem, SearchListener.NONE).orElseThrow();
        assertThat(peak(found.problem())).isLessThanOrEqualTo(peak(byDemand(problem)));
    }

    /** Of several layers' sums one at a time is left, which is most; of a single layer's nothing goes. */
    @Test
    void isWherePlansOfALargeProblemAreLookedForIfItTakesMuchLess() {
        assertThat(Reorder.ofLarge(Recurrences.of(4, 300), SearchListener.NONE)).isPresent();
        assertThat(Reorder.ofLarge(Recurrences.of(1, 1200), SearchListener.NONE))
                .isEmpty();
        assertThat(Reorder.ofLarge(Recurrences.of(4, 30), SearchListener.NONE)).isEmpty();
    }

    /** The twin: a single layer's sum and one product are what the given order has too. */
    @Test
    void doesNotHelpASingleLayer() {
        RematProblem problem = Recurrences.of(1, 12);
        assertThat(peak(problem)).isLessThan(4L * WEIGHT);
        assertThat(peak(byDemand(problem))).isBetween(peak(problem), peak(problem) + 2L * 12 * STATE);
    }

    /** Ten products and then their sum: given, all at once; by demand, a sum, a product and the next sum. */
    @Test
    void makesNoProductBeforeItIsAddedUp() {
        List<ProblemNode> nodes = new ArrayList<>(List.of(node("x", Role.FORWARD, 1)));
        IntStream.range(0, 10).forEach(i -> nodes.add(node("p" + i, Role.BACKWARD, 100, 0)));
        int sum = 1;
        for (int i = 1; i < 10; i++) {
            nodes.add(node("s" + i, Role.BACKWARD, 100, sum, 1 + i));
            sum = nodes.size() - 1;
        }
        RematProblem problem = RematProblem.of("sum", nodes, List.of(sum));
        assertThat(peak(problem)).isEqualTo(1_100);
        assertThat(peak(byDemand(problem))).isEqualTo(301);
    }

    @Test
    void everyNodeStandsOnceBehindWhatItNeedsAndTheForwardInFront() {
        for (int seed = 1; seed <= 200; seed++) {
            RematProblem problem = RandomProblems.trainingStep(seed, 3 + seed % 30);
            OrderRules rules = new OrderRules(problem);
            int[] order = new OrderByDemand(problem, rules).order();
            int[] position = new int[order.length];
            for (int p = 0; p < order.length; p++) {
                position[order[p]] = p;
            }
            assertThat(Arrays.stream(order).sorted().toArray())
                    .isEqualTo(IntStream.range(0, problem.nodeCount()).toArray());
            int firstBackward = Retention.firstBackward(problem);
            for (int n = 0; n < order.length; n++) {
                for (int needed : rules.needed(n)) {
                    assertThat(position[needed]).isLessThan(position[n]);
                }
                assertThat(n < firstBackward ? position[n] : n).isEqualTo(n);
            }
        }
    }
}
