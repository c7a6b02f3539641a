package dev.remat.compiler.plan.bound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.LowerBound;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.PublishedGraphs;
import dev.remat.compiler.plan.RandomTransfers;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.TrainingSteps;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.Floor;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.transfer.AnnealLabels;
import dev.remat.compiler.plan.transfer.Offload;
import dev.remat.compiler.plan.transfer.OnTiers;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.Tier;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LanePricesTest {
    private static final long WORK = 10_000_000;
    private static final double EFFORT = 4;

    private static GapCover cover(RematProblem problem, long budget) {
        return FindGaps.of(problem, KnownOrder.always(problem), budget);
    }

    private static long bound(RematProblem problem, long budget) {
        GapCover cover = cover(problem, budget);
        return new LanePrices(problem, KnownOrder.always(problem), cover, SearchListener.NONE).bound(WORK);
    }

    private static long kept(RematProblem problem) {
        return Proposal.of(problem, OnTiers.plan(new KeepAll(), problem, PlannerOptions.none()))
                .evaluation()
                .peakBytes();
    }

    /** Weights say no more than the integer program whose relaxation they weigh, and often as much. */
    @Test
    void neverAboveTheIntegerProgram() {
        int above = 0;
        int met = 0;
        for (int seed = 0; seed < 40; seed++) {
            RematProblem problem = RandomTransfers.problem(seed, 4 + seed % 5);
            long floor = Floor.of(problem).bytes();
            for (long budget : List.of(floor, (floor + kept(problem)) / 2)) {
                GapCover cover = cover(problem, budget);
                if (cover.possible() && cover.pressed().length > 0) {
                    long program = new JointProgram(problem, KnownOrder.always(problem), cover)
                            .bound(EFFORT, SearchListener.NONE);
                    long weighed = bound(problem, budget);
                    assertThat(weighed)
                            .as("seed %d, budget %d", seed, budget)
                            .isBetween(problem.baselineCost(), program);
                    above += weighed > problem.baselineCost() ? 1 : 0;
                    met += weighed == program && weighed > problem.baselineCost() ? 1 : 0;
                }
            }
        }
        assertThat(above).isGreaterThan(20);
        assertThat(met).isGreaterThan(4);
    }

    /** No sequence takes less than the bound for its own peak, be it made by chance or found. */
    @Test
    void noSequenceTakesLess() {
        int sharp = 0;
        for (int seed = 0; seed < 300; seed++) {
            RematProblem problem = RandomTransfers.problem(seed, 3 + seed % 8);
            Proposal any = Proposal.of(problem, RandomTransfers.of(problem, new Random(seed), 6));
            sharp += holds(problem, any, seed) ? 1 : 0;
        }
        for (int seed = 0; seed < 12; seed++) {
            RematProblem problem = RandomTransfers.problem(100 + seed, 8);
            PlannerOptions asked =
                    PlannerOptions.withBudget(kept(problem) * 7 / 10).with(Effort.QUICK);
            Proposal found = Proposal.of(problem, new AnnealLabels().plan(problem, asked));
            sharp += holds(problem, found, seed) ? 1 : 0;
        }
        assertThat(sharp).isGreaterThan(20);
    }

    private static boolean holds(RematProblem problem, Proposal any, int seed) {
        long bound = bound(problem, any.evaluation().peakBytes());
        assertThat(any.evaluation().cost()).as("seed %d", seed).isGreaterThanOrEqualTo(bound);
        return bound > problem.baselineCost();
    }

    /** Percent of overhead that the integer program proves over a link that moves the peak in so many steps' times. */
    @ParameterizedTest
    @CsvSource({"unet,50,1,0.8,1.145", "unet,50,4,4.0,4.129", "unet,40,4,5.7,6.0", "mobilenet,50,1,0.7,0.760"})
    void isNearTheIntegerProgram(String name, int percent, int steps, double least, double program) throws IOException {
        RematProblem read = PublishedGraphs.named(name);
        List<ProblemNode> nodes = new ArrayList<>();
        for (int n = 0; n < read.nodeCount(); n++) {
            nodes.add(read.node(n).withCost(1000 * read.cost(n)));
        }
        RematProblem still = RematProblem.of(read.name(), nodes, read.outputs());
        long peak = SequenceEvaluator.evaluate(still, new KeepAll().plan(still, PlannerOptions.none()))
                .peakBytes();
        long rate = (long) (1e9 * peak / (steps * still.baselineCost()));
        RematProblem problem = still.withTiers(List.of(new Tier("host", 1L << 50, rate, rate, 0)));
        double bound = 100.0 * (bound(problem, peak * percent / 100) - problem.baselineCost()) / problem.baselineCost();
        assertThat(bound).isBetween(least, program);
    }

    /** Too large for the integer program, which proves nothing there. */
    @Test
    void largeProblemsHaveABound() {
        RematProblem still = TrainingSteps.chain(3000, 100);
        long peak = SequenceEvaluator.evaluate(still, new KeepAll().plan(still, PlannerOptions.none()))
                .peakBytes();
        RematProblem problem = still.withTiers(List.of(new Tier("host", 1L << 40, 1L << 33, 1L << 33, 0)));
        PlannerOptions asked = PlannerOptions.withBudget(peak / 2).with(Effort.QUICK);
        assertThat(cover(problem, peak / 2).gaps()).hasSizeGreaterThan(2500);
        LowerBound bound = LowerBounds.of(problem, asked);
        Proposal moved = Proposal.of(problem, Offload.everything().plan(problem, asked));
        assertThat(bound.cost()).isGreaterThan(problem.baselineCost());
        assertThat(moved.evaluation().cost()).isGreaterThanOrEqualTo(bound.cost());
    }
}
