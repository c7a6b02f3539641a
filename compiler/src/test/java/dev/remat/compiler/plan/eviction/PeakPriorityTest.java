package dev.remat.compiler.plan.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.Chains;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.TrainingSteps;
import dev.remat.compiler.plan.build.RemoveRecomputations;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.List;
import org.junit.jupiter.api.Test;

class PeakPriorityTest {
    private static Proposal plan(RematProblem problem, long budget) {
        return Proposal.of(problem, new PeakPriority().plan(problem, PlannerOptions.withBudget(budget)));
    }

    /** Kept, the six values and two gradients take 62. Only f1 is worth its bytes: 30 for a cost of 1. */
    @Test
    void evictsWhatIsCheapForItsBytes() {
        RematProblem problem = Chains.of(new long[] {5, 30, 5, 10, 5, 5}, new long[] {9, 1, 9, 9, 9, 9});
        assertThat(plan(problem, 62).evaluation().recomputations()).isZero();
        Proposal tight = plan(problem, 45);
        assertThat(tight.evaluation().peakBytes()).isLessThanOrEqualTo(45);
        assertThat(tight.evaluation().recomputedCost()).isEqualTo(1);
        assertThat(Chains.steps(problem, tight.sequence())).isEqualTo("f0 f1 f2 f3 f4 f5 b5 b4 b3 b2 f1 b1 b0");
    }

    /** The same bytes and costs everywhere: the value read last is away longest. */
    @Test
    void evictsTheLongestStretchOfEquals() {
        RematProblem problem = Chains.ofSizes(10, 10, 10, 10);
        Proposal tight = plan(problem, 34);
        assertThat(Chains.steps(problem, tight.sequence())).isEqualTo("f0 f1 f2 f3 b3 b2 b1 f0 b0");
    }

    @Test
    void computesAValueMoreThanTwiceWhereTheBudgetAsksForIt() {
        RematProblem problem = Chains.equal(40);
        long most = 0;
        Proposal tight = plan(problem, 10);
        assertThat(tight.evaluation().peakBytes()).isLessThanOrEqualTo(10);
        int[] runs = new int[problem.nodeCount()];
        for (int t = 0; t < tight.sequence().length(); t++) {
            most = Math.max(most, ++runs[tight.sequence().node(t)]);
        }
        assertThat(most).isGreaterThan(2);
    }

    /** Without a budget it has to go at least as low as within any that it meets, whatever that costs. */
    @Test
    void findsTheSmallestWhereNothingElseIsAsked() {
        RematProblem problem = Chains.equal(40);
        Proposal smallest = Proposal.of(problem, new PeakPriority().plan(problem, PlannerOptions.none()));
        assertThat(smallest.evaluation().peakBytes())
                .isLessThanOrEqualTo(plan(problem, 10).evaluation().peakBytes());
    }

    @Test
    void takesBackRecomputationsThatTheBudgetDoesNotAskFor() {
        RematProblem problem = Chains.ofSizes(10, 10, 10, 10);
        OperatorSequence wasteful =
                new OperatorSequence("test", new int[] {0, 1, 2, 3, 2, 4, 1, 5, 0, 6, 7}, List.of());
        assertThat(SequenceEvaluator.evaluate(problem, wasteful).violations()).isEmpty();
        assertThat(Chains.steps(problem, RemoveRecomputations.run(problem, wasteful, 42, SearchListener.NONE)))
                .isEqualTo("f0 f1 f2 f3 b3 b2 b1 b0");
        Proposal tight = Proposal.of(problem, RemoveRecomputations.run(problem, wasteful, 34, SearchListener.NONE));
        assertThat(tight.evaluation().recomputations()).isEqualTo(1);
        assertThat(tight.evaluation().peakBytes()).isLessThanOrEqualTo(34);
    }

    @Test
    void answersAHundredThousandNodes() {
        RematProblem problem = TrainingSteps.chain(50_000, 1);
        Proposal tight = plan(problem, 25_000);
        assertThat(tight.evaluation().peakBytes()).isLessThanOrEqualTo(25_000);
        assertThat(tight.evaluation().overhead()).isLessThan(0.35);
    }
}
