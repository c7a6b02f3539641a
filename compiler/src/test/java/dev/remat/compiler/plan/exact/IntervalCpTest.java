package dev.remat.compiler.plan.exact;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.BruteForce;
import dev.remat.compiler.plan.Chains;
import dev.remat.compiler.plan.LowerBound;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.PublishedGraphs;
import dev.remat.compiler.plan.RandomProblems;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.Floor;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.eviction.PeakPriority;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IntervalCpTest {
    /**
     * Proven elsewhere by constraint programming; with two computations a node vgg19 needs much more than with three.
     */
    @Tag("slow")
    @ParameterizedTest
    @CsvSource({
        "vgg19,0.90,2,0.104", "vgg19,0.80,2,4.851", "vgg19,0.80,3,2.756", "vgg19,0.80,4,2.756", "vgg19,0.772,2,4.878",
        "vgg19,0.772,3,2.783", "unet,0.90,2,1.129", "unet,0.80,2,1.984", "unet,0.70,2,2.967", "unet,0.60,2,4.451"
    })
    void findsAndProvesThePublishedOptimum(String name, double budget, int most, double percent) throws IOException {
        RematProblem problem = PublishedGraphs.named(name);
        OperatorSequence start = new KeepAll().plan(problem, PlannerOptions.none());
        long bytes = (long) (budget * SequenceEvaluator.evaluate(problem, start).peakBytes());
        PlannerOptions options = PlannerOptions.withBudget(bytes);
        boolean[] free = new boolean[problem.nodeCount()];
        for (int n = 0; n < free.length; n++) {
            free[n] = problem.role(n) == Role.FORWARD;
        }
        RetentionSearch.Result result =
                RetentionSearch.everywhere(problem, start, free, most).run(options, OptionalLong.empty(), 8);
        Proposal found = Proposal.of(problem, result.sequence().orElseThrow());
        assertThat(result.closed()).isTrue();
        assertThat(found.fits(options)).isTrue();
        assertThat(found.evaluation().cost()).isEqualTo(result.bound());
        assertThat(100 * found.evaluation().overhead()).isBetween(percent - 0.0005, percent + 0.0005);
    }

    @Test
    @Tag("slow")
    void provesNoMoreThanTheBestOfAllSequencesAndReachesIt() {
        int recomputed = 0;
        for (long seed = 0; seed < 30; seed++) {
            RematProblem problem = RandomProblems.trainingStep(seed, 2 + (int) (seed % 3));
            if (hasUpdates(problem)) {
                continue;
            }
            long all = peak(problem);
            for (long budget = Floor.of(problem).bytes(); budget < all; budget += 10) {
                List<LowerBound> bounds = new ArrayList<>();
                Proposal found = plan(problem, budget, bounds);
                boolean fits = found.evaluation().peakBytes() <= budget;
                long above = fits ? found.evaluation().cost() + 1 : problem.baselineCost() + 8;
                OptionalLong best = EveryStagedSequence.leastCost(problem, budget, 3, above);
                String name = "seed %d, budget %d".formatted(seed, budget);
                assertThat(best.orElse(above) < above - (fits ? 1 : 0)).as(name).isFalse();
                for (LowerBound bound : bounds) {
                    int most = bound.scope().mostComputations();
                    assertThat(EveryStagedSequence.leastCost(problem, budget, Math.min(most, 3), bound.cost()))
                            .as("%s, %s", name, bound)
                            .isEmpty();
                    recomputed += bound.cost() > problem.baselineCost() ? 1 : 0;
                }
            }
        }
        assertThat(recomputed).isGreaterThan(10);
    }

    /**
     * With v3 in memory b1 takes 3 + 7 + 6 + 2 + 2 + 3 = 23 bytes. So v3, an output, is dropped after its last reader,
     * and what costs least is to compute it again after everything else, for 1 more than the 30 of each node once.
     */
    @Test
    void computesAnOutputAgainAfterEverythingElse() {
        RematProblem problem = RematProblem.of(
                "late",
                List.of(
                        node("v0", Role.FORWARD, 4, 6),
                        node("v1", Role.FORWARD, 6, 3, 0),
                        node("v2", Role.FORWARD, 2, 2, 1),
                        node("v3", Role.FORWARD, 1, 7, 2),
                        node("b0", Role.BACKWARD, 8, 2, 0, 1, 3),
                        node("b1", Role.BACKWARD, 9, 3, 0, 2, 4)),
                List.of(1, 3));
        List<LowerBound> bounds = new ArrayList<>();
        Proposal found = plan(problem, 22, bounds);
        assertThat(found.sequence().steps()).containsExactly(0, 1, 2, 3, 4, 5, 3);
        assertThat(found.evaluation().cost()).isEqualTo(31);
        assertThat(bounds).isNotEmpty().allMatch(bound -> bound.cost() <= 31);
        assertThat(plan(problem, 23, new ArrayList<>()).evaluation().recomputations())
                .isZero();
    }

    private static ProblemNode node(String id, Role role, long cost, long bytes, int... inputs) {
        return ProblemNode.of(id, role).withCost(cost).withInputs(inputs).withResult(ProblemValue.of(id, bytes));
    }

    /** Views, in-place results, several results, statistics, updates, outputs and pins as they come up. */
    @Tag("slow")
    @Test
    void answersEveryProblemWithTheTruth() {
        int better = 0;
        for (long seed = 100; seed < 112; seed++) {
            RematProblem problem = RandomProblems.trainingStep(seed, 5 + (int) (seed % 10));
            long floor = Floor.of(problem).bytes();
            long budget = floor + (peak(problem) - floor) / 2;
            Proposal found = plan(problem, budget, new ArrayList<>());
            PlannerOptions options = PlannerOptions.withBudget(budget);
            Proposal start = Proposal.of(problem, new PeakPriority().plan(problem, options));
            int order = Proposal.bestFirst(options).compare(found, start);
            assertThat(order).as("seed %d", seed).isLessThanOrEqualTo(0);
            assertThat(found.evaluation().peakBytes()).isEqualTo(BruteForce.peak(problem, found.sequence()));
            better += order < 0 ? 1 : 0;
            if (seed % 6 == 0) {
                assertThat(plan(problem, budget, new ArrayList<>()).sequence().sameSteps(found.sequence()))
                        .isTrue();
            }
        }
        assertThat(better).isPositive();
    }

    @Test
    void recomputesNothingWhereEverythingFits() {
        assertThat(plan(Chains.equal(10), 100, new ArrayList<>()).evaluation().recomputations())
                .isZero();
    }

    private static boolean hasUpdates(RematProblem problem) {
        for (int n = 0; n < problem.nodeCount(); n++) {
            if (problem.role(n) == Role.UPDATE) {
                return true;
            }
        }
        return false;
    }

    private static Proposal plan(RematProblem problem, long budget, List<LowerBound> bounds) {
        PlannerOptions options = PlannerOptions.withBudget(budget).telling(new SearchListener() {
            @Override
            public void trying(String what) {}

            @Override
            public void proved(LowerBound bound) {
                bounds.add(bound);
            }
        });
        return Proposal.of(problem, new IntervalCp().plan(problem, options));
    }

    private static long peak(RematProblem problem) {
        OperatorSequence all = new KeepAll().plan(problem, PlannerOptions.none());
        return SequenceEvaluator.evaluate(problem, all).peakBytes();
    }
}
