package dev.remat.compiler.plan.exact;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.BruteForce;
import dev.remat.compiler.plan.Chains;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.PublishedGraphs;
import dev.remat.compiler.plan.RandomProblems;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.eviction.PeakPriority;
import dev.remat.compiler.plan.segment.Sqrt;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class WindowSearchTest {
    /** From 2.145 % to the proven optimum, 1.984 %. */
    @Test
    void bringsAGreedyPlanToTheOptimum() throws IOException {
        RematProblem problem = PublishedGraphs.named("unet");
        PlannerOptions options = PlannerOptions.withBudget(20_959_461_376L / 10 * 8);
        OperatorSequence start = new PeakPriority().plan(problem, options);
        assertThat(Proposal.of(problem, start).evaluation().overhead()).isGreaterThan(0.0205);
        Proposal improved = Proposal.of(problem, WindowSearch.improve(problem, start, options));
        assertThat(improved.fits(options)).isTrue();
        assertThat(improved.evaluation().overhead()).isBetween(0.0198, 0.01985);
        assertThat(improved.sequence().strategy()).isEqualTo("interval-cp");
    }

    /** Views, in-place results, several results, statistics, updates, outputs and pins as they come up. */
    @Tag("slow")
    @Test
    void staysValidAndWithinTheBudget() {
        int better = 0;
        for (long seed = 200; seed < 208; seed++) {
            RematProblem problem = RandomProblems.trainingStep(seed, 8 + (int) (seed % 6));
            OperatorSequence smallest = new Sqrt().plan(problem, PlannerOptions.none());
            Proposal start = Proposal.of(problem, smallest);
            PlannerOptions options =
                    PlannerOptions.withBudget(start.evaluation().peakBytes());
            Proposal improved = Proposal.of(problem, WindowSearch.improve(problem, smallest, options));
            int order = Proposal.bestFirst(options).compare(improved, start);
            assertThat(order).as("seed %d", seed).isLessThanOrEqualTo(0);
            assertThat(improved.evaluation().peakBytes()).isEqualTo(BruteForce.peak(problem, improved.sequence()));
            better += order < 0 ? 1 : 0;
            if (seed % 5 == 0) {
                OperatorSequence again = WindowSearch.improve(problem, smallest, options);
                assertThat(again.sameSteps(improved.sequence())).isTrue();
            }
        }
        assertThat(better).isGreaterThan(1);
    }

    @Test
    void leavesAloneWhatRecomputesNothingOrIsWantedQuickly() {
        RematProblem problem = Chains.equal(10);
        OperatorSequence all = new KeepAll().plan(problem, PlannerOptions.none());
        assertThat(WindowSearch.improve(problem, all, PlannerOptions.withBudget(100)))
                .isSameAs(all);
        OperatorSequence few = new Sqrt().plan(problem, PlannerOptions.none());
        PlannerOptions quick = PlannerOptions.withBudget(100).with(PlannerOptions.Effort.QUICK);
        assertThat(WindowSearch.improve(problem, few, quick)).isSameAs(few);
    }
}
