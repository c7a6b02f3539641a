package dev.remat.compiler.plan.block;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.Chains;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.RandomProblems;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.TrainingSteps;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.segment.ForwardGraph;
import dev.remat.compiler.plan.segment.Sqrt;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class HierarchyTest {
    private static BlockChain chain(RematProblem problem) {
        ForwardGraph graph = ForwardGraph.of(problem, Retention.required(problem));
        return BlockChain.of(graph, BlockCuts.of(graph), new double[] {0.5, 2}, SearchListener.NONE);
    }

    private static Proposal at(RematProblem problem, double share) {
        PlannerOptions options = PlannerOptions.withBudget(budget(problem, share));
        return Proposal.of(problem, new Hierarchy().plan(problem, options));
    }

    private static long budget(RematProblem problem, double share) {
        long all = Proposal.of(problem, new KeepAll().plan(problem, PlannerOptions.none()))
                .evaluation()
                .peakBytes();
        return problem.residentBytes() + (long) (share * (all - problem.residentBytes()));
    }

    /**
     * On a chain of n unit values, g groups of s nodes keep their last value and compute the s - 1 others again.
     * Keeping everything takes n + 2, the gradients read and made among it; so in n + 2 - d one must drop d values.
     * The first group can be dropped whole up to its last value, and takes its s units back when only it and
     * gradients are left.
     */
    @Test
    void dropsExactlyAsManyUnitsOfAChainAsDoNotFit() {
        int length = 40;
        RematProblem chain = Chains.equal(length);
        long all = SequenceEvaluator.evaluate(chain, new KeepAll().plan(chain, PlannerOptions.none()))
                .peakBytes();
        for (int missing = 0; missing <= 20; missing += 4) {
            PlannerOptions options = PlannerOptions.withBudget(all - missing);
            Proposal plan = Proposal.of(chain, new Hierarchy().plan(chain, options));
            assertThat(plan.fits(options)).as("%d missing", missing).isTrue();
            assertThat(plan.evaluation().recomputedCost())
                    .as("%d missing", missing)
                    .isEqualTo(missing);
        }
    }

    /** The least that groups of equal size reach on a chain of n values is about 2·√n. */
    @Test
    @Tag("slow")
    void reachesTwoRootsOfAChain() {
        RematProblem chain = Chains.equal(400);
        Proposal smallest = Proposal.of(chain, new Hierarchy().plan(chain, PlannerOptions.none()));
        assertThat(smallest.evaluation().peakBytes()).isLessThanOrEqualTo(2 * 20 + 4);
        assertThat(smallest.evaluation().recomputedCost()).isLessThanOrEqualTo(400);
    }

    @Test
    void solvesEqualBlocksOnce() {
        BlockChain deep = chain(TrainingSteps.resnet(2, 40, 40, 40, 40));
        assertThat(deep.size()).isGreaterThan(100);
        assertThat(deep.distinct()).isLessThan(25);
        assertThat(chain(TrainingSteps.resnet(2, 80, 80, 80, 80)).distinct()).isLessThan(25);
    }

    /** Every node differs from the others in size, so every block does. */
    @Test
    void solvesDifferentBlocksEach() {
        long[] sizes = new long[60];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = 100 + i;
        }
        BlockChain chain = chain(Chains.ofSizes(sizes));
        assertThat(chain.distinct()).isEqualTo(chain.size()).isGreaterThan(50);
    }

    /** A deep network at a seventh of its activations: Chen's √n takes a forward more, three tenths of the step. */
    @Test
    void keepsNarrowValuesOfADeepNetwork() {
        RematProblem resnet = TrainingSteps.resnet(8, 30, 30, 30, 30);
        Proposal plan = at(resnet, 1.0 / 7);
        assertThat(plan.evaluation().peakBytes()).isLessThanOrEqualTo(budget(resnet, 1.0 / 7));
        assertThat(plan.evaluation().overhead()).isLessThan(0.13);
    }

    @Test
    void keepsLongSkipsAtHalfOfWhatRootNTakes() {
        RematProblem unet = TrainingSteps.unet(4, 5, 128);
        PlannerOptions options = PlannerOptions.withBudget(budget(unet, 0.7));
        Proposal root = Proposal.of(unet, new Sqrt().plan(unet, options));
        Proposal plan = at(unet, 0.7);
        assertThat(plan.fits(options)).isTrue();
        assertThat(2 * plan.evaluation().recomputedCost())
                .isLessThan(root.evaluation().recomputedCost());
    }

    @Test
    @Tag("slow")
    void plansTensOfThousandsOfNodes() {
        RematProblem chain = TrainingSteps.chain(10_000, 1);
        Proposal plan = at(chain, 0.5);
        assertThat(plan.evaluation().peakBytes()).isLessThanOrEqualTo(budget(chain, 0.5));
        // Half of the values are kept; the rest costs no more than half a forward of the two that a step takes.
        assertThat(plan.evaluation().overhead()).isLessThan(0.26);
    }

    @Test
    void answersTheSameAgain() {
        for (long seed = 50; seed < 54; seed++) {
            RematProblem problem = RandomProblems.trainingStep(seed, 30);
            PlannerOptions options = PlannerOptions.withBudget(budget(problem, 0.6));
            OperatorSequence first = new Hierarchy().plan(problem, options);
            assertThat(new Hierarchy().plan(problem, options).sameSteps(first)).isTrue();
        }
    }
}
