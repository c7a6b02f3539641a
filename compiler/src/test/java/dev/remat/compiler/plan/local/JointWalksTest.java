package dev.remat.compiler.plan.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.Chains;
import dev.remat.compiler.plan.IrregularGraphs;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.ProvedBounds;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.bound.LowerBounds;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.eviction.PeakPriority;
import dev.remat.compiler.plan.exact.PebbleSearch;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class JointWalksTest {
    private static Proposal keepAll(RematProblem problem) {
        return Proposal.of(problem, new KeepAll().plan(problem, PlannerOptions.none()));
    }

    /** From the given order, a third over the budget, where eviction finds nothing that fits. */
    @Test
    void fitWhereEvictionFindsNothing() {
        RematProblem problem = IrregularGraphs.narrow(250, 1);
        Proposal kept = keepAll(problem);
        PlannerOptions options = PlannerOptions.withBudget(kept.evaluation().peakBytes() * 75 / 100)
                .with(Effort.QUICK);
        assertThat(Proposal.of(problem, new PeakPriority().plan(problem, options))
                        .fits(options))
                .isFalse();
        assertThat(Proposal.of(problem, JointWalks.improve(problem, kept.sequence(), options))
                        .fits(options))
                .isTrue();
    }

    /** Where little fits, it is only found by a walk that hardly looks at costs before it has come by something. */
    @Test
    void oneOfTheFirstSeeksWhatFits() {
        RematProblem problem = IrregularGraphs.narrow(500, 1);
        Proposal kept = keepAll(problem);
        PlannerOptions options = PlannerOptions.withBudget(kept.evaluation().peakBytes() * 80 / 100);
        assertThat(JointWalks.round(problem, options, 0).stream()
                        .map(walk -> Proposal.of(problem, walk.apply(kept.sequence()))
                                .fits(options)))
                .containsExactly(false, true);
    }

    @Test
    void moreEffortBeginsWithTheRoundsOfLess() {
        RematProblem large = Chains.equal(1000);
        assertThat(JointWalks.rounds(large, Effort.QUICK)).isEqualTo(2);
        assertThat(JointWalks.rounds(large, Effort.NORMAL)).isEqualTo(4);
        assertThat(JointWalks.rounds(large, Effort.FULL)).isEqualTo(8);
        assertThat(JointWalks.rounds(Chains.equal(2000), Effort.FULL)).isEqualTo(7);
        assertThat(JointWalks.rounds(Chains.equal(1), Effort.FULL)).isEqualTo(1);
    }

    /**
     * The cheapest of all sequences, which search through the positions of a game knows, nearly always, and never less:
     * of what lies between a bound and a plan, most is what the bound does not see.
     */
    @Test
    void findsTheCheapestOfAllOrders() {
        int found = 0;
        int missed = 0;
        long above = 0;
        long below = 0;
        for (int seed = 1; seed <= 10; seed++) {
            RematProblem problem = IrregularGraphs.of(12, 21, seed);
            long all = keepAll(problem).evaluation().peakBytes();
            for (int percent = 85; percent >= 55; percent -= 10) {
                ProvedBounds bounds = new ProvedBounds(SearchListener.NONE);
                PlannerOptions options = PlannerOptions.withBudget(all * percent / 100);
                OperatorSequence start = new PeakPriority().plan(problem, options);
                Proposal best = Proposal.of(problem, PebbleSearch.improve(problem, start, options.telling(bounds)));
                long least = bounds.ofAnyOrder(problem).cost();
                if (best.fits(options) && best.evaluation().cost() == least) {
                    Proposal joint = Proposal.of(problem, JointWalks.improve(problem, start, options));
                    assertThat(joint.evaluation().cost()).isGreaterThanOrEqualTo(joint.fits(options) ? least : 0);
                    boolean same = joint.fits(options) && joint.evaluation().cost() == least;
                    found += same ? 1 : 0;
                    missed += same ? 0 : 1;
                    ProvedBounds alone = new ProvedBounds(SearchListener.NONE);
                    LowerBounds.of(problem, options.telling(alone));
                    above += joint.evaluation().cost() - least;
                    below += least - alone.ofAnyOrder(problem).cost();
                }
            }
        }
        assertThat(found).isGreaterThan(10);
        assertThat(missed).isLessThan(3);
        assertThat(below).isGreaterThan(2 * above);
    }

    @Test
    void searchesOrderAndRecomputationsTheSameEveryTime() {
        RematProblem problem = IrregularGraphs.of(100, 4);
        long all = keepAll(problem).evaluation().peakBytes();
        PlannerOptions options = PlannerOptions.withBudget(all * 7 / 10).with(PlannerOptions.Effort.QUICK);
        OperatorSequence start = new PeakPriority().plan(problem, options);
        OperatorSequence joint = JointWalks.improve(problem, start, options);
        assertThat(JointWalks.improve(problem, start, options).sameSteps(joint)).isTrue();
        assertThat(Proposal.of(problem, joint).evaluation().cost())
                .isLessThan(Proposal.of(problem, start).evaluation().cost());
    }

    @Test
    void searchesOrderAndRecomputationsLongerForAtLeastAsMuch() {
        RematProblem problem = IrregularGraphs.of(100, 2);
        long all = keepAll(problem).evaluation().peakBytes();
        PlannerOptions full = PlannerOptions.withBudget(all * 6 / 10);
        PlannerOptions quick = full.with(PlannerOptions.Effort.QUICK);
        OperatorSequence start = new PeakPriority().plan(problem, full);
        long longer = Proposal.of(problem, JointWalks.improve(problem, start, full))
                .evaluation()
                .cost();
        assertThat(longer)
                .isLessThanOrEqualTo(Proposal.of(problem, JointWalks.improve(problem, start, quick))
                        .evaluation()
                        .cost());
    }
}
