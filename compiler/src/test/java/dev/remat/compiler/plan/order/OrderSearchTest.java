package dev.remat.compiler.plan.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.Chains;
import dev.remat.compiler.plan.IrregularGraphs;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.PublishedGraphs;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RematProblem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OrderSearchTest {
    private static int[] given(RematProblem problem) {
        return IntStream.range(0, problem.nodeCount()).toArray();
    }

    private static OrderDraft draft(RematProblem problem, int[] order, long target) {
        return new OrderDraft(problem, new OrderRules(problem), order, target);
    }

    private static PlannerOptions within(long bytes) {
        return PlannerOptions.withBudget(bytes).with(Effort.QUICK);
    }

    private static int[] improved(RematProblem problem, PlannerOptions options) {
        long target = options.budgetBytes().orElseThrow();
        return new OrderSearch(problem, new OrderRules(problem), target, options).improve(given(problem));
    }

    /** The least peak of all orders, by trying every one that begins below the best so far. */
    private static long leastPeak(RematProblem problem, int[] order, int size, long best) {
        long peak = draft(problem, order, 0).peakBytes();
        long least = Math.min(best, peak);
        for (int i = size; i < order.length; i++) {
            int[] next = order.clone();
            System.arraycopy(order, size, next, size + 1, i - size);
            next[size] = order[i];
            if (isReady(problem, order[i], order, size)) {
                least = leastPeak(problem, next, size + 1, least);
            }
        }
        return least;
    }

    private static boolean isReady(RematProblem problem, int node, int[] order, int size) {
        return IntStream.range(0, problem.inputCount(node))
                .map(k -> problem.producer(problem.input(node, k)))
                .allMatch(needed -> Arrays.stream(order, 0, size).anyMatch(n -> n == needed));
    }

    @Test
    void findsTheLeastPeakOfAllOrders() {
        int above = 0;
        for (int seed = 1; seed <= 25; seed++) {
            RematProblem problem = IrregularGraphs.of(8, 13, seed);
            long all = draft(problem, given(problem), 0).peakBytes();
            long least = leastPeak(problem, given(problem), 0, all);
            assertThat(draft(problem, improved(problem, within(least)), least).excess())
                    .isZero();
            assertThat(draft(problem, improved(problem, within(least - 1)), least - 1)
                            .excess())
                    .isPositive();
            above += all > least ? 1 : 0;
        }
        assertThat(above).as("graphs with a better order than the given one").isGreaterThan(10);
    }

    /** Where it has room for every set of nodes; where it has not, it may miss. */
    @Test
    void aWideBeamFindsTheLeastPeakOfAllOrders() {
        int missed = 0;
        for (int seed = 1; seed <= 25; seed++) {
            RematProblem problem = IrregularGraphs.of(8, 13, seed);
            long least = leastPeak(problem, given(problem), 0, Long.MAX_VALUE);
            assertThat(peakOfBeam(problem, OrderBeam.wide(problem))).isEqualTo(least);
            missed += peakOfBeam(problem, 1) > least ? 1 : 0;
        }
        assertThat(missed).as("graphs that a beam of one order misses").isPositive();
    }

    private static long peakOfBeam(RematProblem problem, int width) {
        int[] order = new OrderBeam(problem, new OrderRules(problem), SearchListener.NONE, width).order();
        return draft(problem, order, 0).peakBytes();
    }

    @Test
    void isTheSameEveryTimeAndNeverWorseThanWhereItStarts() {
        RematProblem problem = IrregularGraphs.of(100, 4);
        long target = draft(problem, given(problem), 0).peakBytes() / 2;
        int[] found = improved(problem, within(target));
        assertThat(improved(problem, within(target))).containsExactly(found);
        long before = draft(problem, given(problem), target).excess();
        assertThat(draft(problem, found, target).excess()).isLessThan(before / 2);
        int[] start = found.clone();
        int[] again = new OrderSearch(problem, new OrderRules(problem), target, within(target)).improve(start);
        assertThat(draft(problem, again, target).excess())
                .isLessThanOrEqualTo(draft(problem, found, target).excess());
    }

    /** A fifth less than the given order takes, and nothing is computed twice. */
    @Test
    void meetsABudgetThatTheGivenOrderExceeds() {
        RematProblem problem = IrregularGraphs.of(250, 1);
        long budget = draft(problem, given(problem), 0).peakBytes() * 8 / 10;
        Reordering found = Reorder.search(problem, within(budget));
        assertThat(draft(found.problem(), given(problem), budget).excess()).isZero();
    }

    @Test
    void endsWhenTimeIsUp() {
        RematProblem problem = IrregularGraphs.of(100, 4);
        long target = draft(problem, given(problem), 0).peakBytes() / 2;
        PlannerOptions late = within(target).telling(new SearchListener() {
            @Override
            public void trying(String what) {}

            @Override
            public boolean expired() {
                return true;
            }
        });
        assertThat(improved(problem, late)).containsExactly(given(problem));
        assertThat(improved(problem, within(target))).isNotEqualTo(given(problem));
    }

    /** The same graph, whose last node belongs to the backward. */
    private static RematProblem withBackward(RematProblem problem) {
        int last = problem.nodeCount() - 1;
        List<ProblemNode> nodes = new ArrayList<>();
        for (int n = 0; n < last; n++) {
            nodes.add(problem.node(n));
        }
        nodes.add(ProblemNode.of("backward", Role.BACKWARD)
                .withInputs(problem.node(last).inputs().stream()
                        .mapToInt(Integer::intValue)
                        .toArray())
                .withResult(problem.node(last).results().getFirst()));
        return RematProblem.of("backward", nodes, problem.outputs());
    }

    @Test
    void paysWhereNodesMayStandInManyPlaces() throws IOException {
        assertThat(Reorder.pays(IrregularGraphs.of(100, 2))).isTrue();
        assertThat(Reorder.pays(IrregularGraphs.of(1_000, 2))).isTrue();
        assertThat(Reorder.pays(Chains.equal(100))).isFalse();
        assertThat(Reorder.pays(withBackward(IrregularGraphs.of(100, 2)))).isFalse();
        for (String name : new String[] {"vgg19", "unet", "mobilenet"}) {
            assertThat(Reorder.pays(PublishedGraphs.named(name))).as(name).isFalse();
        }
    }
}
