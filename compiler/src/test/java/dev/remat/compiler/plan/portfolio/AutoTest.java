package dev.remat.compiler.plan.portfolio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.BoundScope;
import dev.remat.compiler.plan.Chains;
import dev.remat.compiler.plan.IrregularGraphs;
import dev.remat.compiler.plan.LayeredGraphs;
import dev.remat.compiler.plan.LowerBound;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.ProvedBounds;
import dev.remat.compiler.plan.Recurrences;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.Summaries;
import dev.remat.compiler.plan.bound.LowerBounds;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.Floor;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.eviction.PeakPriority;
import dev.remat.compiler.plan.local.Anneal;
import dev.remat.compiler.plan.order.Reorder;
import dev.remat.compiler.plan.segment.MinCut;
import dev.remat.compiler.plan.segment.Sqrt;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class AutoTest {
    private static final RematProblem CHAIN = Chains.equal(9);
    /** Nine values and the last one's gradient. */
    private static final long CHAIN_PEAK = 10;

    /** Tells what was tried, and is over once so much has been. */
    private static final class Ending implements SearchListener {
        private final List<String> tried = Collections.synchronizedList(new ArrayList<>());
        private final int most;

        Ending(int most) {
            this.most = most;
        }

        @Override
        public void trying(String what) {
            tried.add(what);
        }

        @Override
        public boolean expired() {
            return tried.size() >= most;
        }
    }

    private static Proposal auto(RematProblem problem, PlannerOptions options) {
        Proposal found = Proposal.of(problem, Strategies.auto().plan(problem, options));
        assertThat(found.evaluation().violations()).isEmpty();
        return found;
    }

    @Test
    void triesNothingOnceTimeIsUp() {
        Ending over = new Ending(0);
        Proposal found = auto(CHAIN, PlannerOptions.withBudget(CHAIN_PEAK - 2).telling(over));
        assertThat(over.tried).isEmpty();
        assertThat(found.evaluation().recomputations()).isZero();
        assertThat(auto(CHAIN, PlannerOptions.none().telling(over)).evaluation().peakBytes())
                .isEqualTo(CHAIN_PEAK);
        assertThat(over.tried).isEmpty();
    }

    @Test
    void goesOnAsLongAsThereIsTime() {
        Ending late = new Ending(Integer.MAX_VALUE);
        PlannerOptions options =
                PlannerOptions.withBudget(CHAIN_PEAK - 2).with(Effort.QUICK).telling(late);
        assertThat(auto(CHAIN, options).fits(options)).isTrue();
        assertThat(late.tried).contains("planning by auto: sqrt", "proving a lower bound");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 16})
    void isValidWheneverTimeIsUp(int most) {
        RematProblem problem = LayeredGraphs.withUpdates(8, 60);
        auto(problem, PlannerOptions.withBudget(keepAllBytes(problem) * 6 / 10).telling(new Ending(most)));
    }

    @Test
    void keepsEverythingWhereThatFits() {
        Ending late = new Ending(Integer.MAX_VALUE);
        PlannerOptions options = PlannerOptions.withBudget(CHAIN_PEAK).telling(late);
        assertThat(auto(CHAIN, options).sequence().steps())
                .containsExactly(
                        new KeepAll().plan(CHAIN, options).steps().boxed().toArray(Integer[]::new));
        assertThat(late.tried).isEmpty();
        PlannerOptions tighter = PlannerOptions.withBudget(CHAIN_PEAK - 1).with(Effort.QUICK);
        assertThat(auto(CHAIN, tighter).evaluation().recomputedCost()).isPositive();
    }

    /**
     * In the given order a and b never fit into 13 together, so that a runs again before its summary and b before its
     * own: 5 + 2. With each summary right after what it reads, nothing does, and that bound says nothing.
     */
    @Test
    void anotherOrderMayNeedNoRecomputations() {
        RematProblem problem = Summaries.problem();
        ProvedBounds bounds = new ProvedBounds(SearchListener.NONE);
        PlannerOptions options =
                PlannerOptions.withBudget(13).with(Effort.QUICK).telling(bounds);
        Proposal found = auto(problem, options);
        assertThat(found.evaluation().peakBytes()).isEqualTo(13);
        assertThat(found.evaluation().overhead()).isZero();
        OperatorSequence given = new PeakPriority().plan(problem, options);
        assertThat(SequenceEvaluator.evaluate(problem, given).recomputedCost()).isEqualTo(2);
        bounds.proved(new LowerBound(7, BoundScope.GIVEN_ORDER));
        assertThat(bounds.covering(problem, given)).isEqualTo(new LowerBound(7, BoundScope.GIVEN_ORDER));
        assertThat(bounds.covering(problem, found.sequence())).isEqualTo(new LowerBound(5, BoundScope.ANY_ORDER));
    }

    /** Where nodes may stand in many places an order is searched first, and nothing else is asked if it fits. */
    @Test
    void searchesOrdersBeforeItRecomputes() {
        RematProblem irregular = IrregularGraphs.of(250, 1);
        Ending late = new Ending(Integer.MAX_VALUE);
        PlannerOptions options = PlannerOptions.withBudget(keepAllBytes(irregular) * 8 / 10)
                .with(Effort.QUICK)
                .telling(late);
        Proposal found = auto(irregular, options);
        assertThat(found.fits(options)).isTrue();
        assertThat(found.evaluation().overhead()).isZero();
        assertThat(late.tried).containsOnly("planning by auto: searching orders");

        RematProblem layered = LayeredGraphs.of(3, 40);
        Ending other = new Ending(Integer.MAX_VALUE);
        auto(
                layered,
                PlannerOptions.withBudget(keepAllBytes(layered) * 8 / 10)
                        .with(Effort.QUICK)
                        .telling(other));
        assertThat(other.tried)
                .contains("planning by auto: another order")
                .doesNotContain("planning by auto: searching orders");
    }

    /** Where an order was found, recomputations are searched together with it. */
    @Test
    void recomputesInABetterOrder() {
        RematProblem irregular = IrregularGraphs.of(100, 1);
        PlannerOptions options =
                PlannerOptions.withBudget(keepAllBytes(irregular) * 55 / 100).with(Effort.QUICK);
        Proposal found = auto(irregular, options);
        OperatorSequence inGivenOrder = Anneal.improve(irregular, new PeakPriority().plan(irregular, options), options);
        Proposal given = Proposal.of(irregular, inGivenOrder);
        assertThat(found.fits(options)).isTrue();
        assertThat(found.evaluation().cost())
                .isGreaterThan(irregular.baselineCost())
                .isLessThan(given.fits(options) ? given.evaluation().cost() : Long.MAX_VALUE);
    }

    /** A search for an order that is ended leaves time to recompute. */
    @Test
    void recomputesWhereThereWasNoTimeForAnOrder() {
        RematProblem irregular = IrregularGraphs.of(250, 1);
        SearchListener noOrder = new SearchListener() {
            @Override
            public void trying(String what) {}

            @Override
            public SearchListener halfOfRest() {
                return new Ending(0);
            }
        };
        PlannerOptions options = PlannerOptions.withBudget(keepAllBytes(irregular) * 7 / 10)
                .with(Effort.QUICK)
                .telling(noOrder);
        Proposal found = auto(irregular, options);
        assertThat(found.fits(options)).isTrue();
        assertThat(found.evaluation().recomputations()).isPositive();
    }

    /** Also in a hurry strategies are asked in an order that takes three quarters of what the given one takes. */
    @Test
    @EnabledIfSystemProperty(named = "remat.cases", matches = "all")
    void isNoWorseThanStrategiesInAMuchBetterOrder() {
        RematProblem problem = Recurrences.of(6, 130);
        RematProblem other =
                Reorder.run(problem, SearchListener.NONE).orElseThrow().problem();
        long reordered = keepAllBytes(other);
        assertThat(reordered).isLessThan(keepAllBytes(problem) * 3 / 4);
        PlannerOptions options = PlannerOptions.withBudget(reordered - 300).with(Effort.QUICK);
        Proposal found = auto(problem, options);
        assertThat(found.fits(options)).isTrue();
        assertThat(found.evaluation().recomputations()).isPositive();
        for (Proposal plan : Proposal.of(other, List.of(new MinCut(), new Sqrt()), options)) {
            if (plan.fits(options)) {
                assertThat(found.evaluation().cost())
                        .as(plan.sequence().strategy())
                        .isLessThanOrEqualTo(plan.evaluation().cost());
            }
        }
    }

    /** What it proves on the way holds for every plan that the proof covers, whichever strategy made it. */
    @Test
    void provesNothingThatAPlanRefutes() {
        RematProblem problem = LayeredGraphs.withUpdates(11, 40);
        ProvedBounds bounds = new ProvedBounds(SearchListener.NONE);
        PlannerOptions options = PlannerOptions.withBudget(keepAllBytes(problem) * 6 / 10)
                .with(Effort.QUICK)
                .telling(bounds);
        List<Proposal> plans =
                new ArrayList<>(Proposal.of(problem, Strategies.all(), options.telling(SearchListener.NONE)));
        plans.add(auto(problem, options));
        Reorder.run(problem, SearchListener.NONE)
                .ifPresent(other -> plans.add(Proposal.of(
                        problem,
                        other.toOriginal(
                                new PeakPriority().plan(other.problem(), options.telling(SearchListener.NONE))))));
        for (Proposal plan : plans) {
            if (plan.fits(options)) {
                long bound = bounds.covering(problem, plan.sequence()).cost();
                assertThat(bound)
                        .isBetween(problem.baselineCost() + 1, plan.evaluation().cost());
            }
        }
    }

    /** No path through the graph says that anything must be computed again; trying every order does. */
    @Test
    void provesSmallGraphsInAnyOrder() {
        RematProblem problem = IrregularGraphs.of(12, 21, 3);
        ProvedBounds bounds = new ProvedBounds(SearchListener.NONE);
        PlannerOptions options =
                PlannerOptions.withBudget(keepAllBytes(problem) * 6 / 10).telling(bounds);
        Proposal found = auto(problem, options);
        assertThat(found.fits(options)).isTrue();
        assertThat(found.evaluation().cost())
                .isGreaterThan(problem.baselineCost())
                .isEqualTo(bounds.ofAnyOrder(problem).cost());
        ProvedBounds alone = new ProvedBounds(SearchListener.NONE);
        LowerBounds.of(problem, options.telling(alone));
        assertThat(alone.ofAnyOrder(problem).cost()).isEqualTo(problem.baselineCost());
    }

    @ParameterizedTest
    @CsvSource({"60, 22", "30, 21"})
    void aLooserBudgetCostsNoMore(int nodes, long seed) {
        RematProblem problem = LayeredGraphs.of(seed, nodes);
        long all = keepAllBytes(problem);
        long floor = Floor.of(problem).bytes();
        long before = Long.MAX_VALUE;
        for (int i = 2; i <= 8; i += 2) {
            PlannerOptions options =
                    PlannerOptions.withBudget(floor + (all - floor) * i / 8).with(Effort.QUICK);
            Proposal found = auto(problem, options);
            long cost = found.fits(options) ? found.evaluation().cost() : Long.MAX_VALUE;
            assertThat(cost).as("budget %d of 8", i).isLessThanOrEqualTo(before);
            before = cost;
        }
        assertThat(before).isEqualTo(problem.baselineCost());
    }

    private static long keepAllBytes(RematProblem problem) {
        return SequenceEvaluator.evaluate(problem, new KeepAll().plan(problem, PlannerOptions.none()))
                .peakBytes();
    }
}
