package dev.remat.compiler.plan.segment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.TrainingSteps;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import org.junit.jupiter.api.Test;

class SqrtTest {
    private static final PlannerOptions NONE = PlannerOptions.none();

    private static long activations(RematProblem problem, Planner planner) {
        return SequenceEvaluator.evaluate(problem, planner.plan(problem, NONE)).peakBytes() - problem.residentBytes();
    }

    @Test
    void aThousandLayersTakeASeventhOfTheActivationsForAThirdMoreFlops() {
        RematProblem problem = TrainingSteps.resnet(32, 83, 83, 83, 84);
        SequenceEvaluation sqrt = SequenceEvaluator.evaluate(problem, new Sqrt().plan(problem, NONE));
        assertThat(sqrt.violations()).isEmpty();
        assertThat(7 * (sqrt.peakBytes() - problem.residentBytes())).isLessThan(activations(problem, new KeepAll()));
        assertThat(sqrt.overhead()).isBetween(0.2, 0.33);
    }

    @Test
    void savesWhereLongSkipsLeaveNoCutVertex() {
        RematProblem problem = TrainingSteps.unet(8, 5, 256);
        assertThat(activations(problem, new Sqrt())).isLessThan(activations(problem, new KeepAll()) * 3 / 4);
    }

    /** Keeping every √n-th of n equal values leaves about √n boundaries and one segment of √n values at a time. */
    @Test
    void aChainTakesTwiceItsRoot() {
        int length = 10_000;
        RematProblem problem = TrainingSteps.chain(length, 1);
        assertThat(activations(problem, new KeepAll())).isGreaterThanOrEqualTo(length);
        assertThat(activations(problem, new Sqrt())).isLessThan(2 * 100 + 10);
    }

    @Test
    void aBudgetThatKeepAllMeetsCostsNothing() {
        RematProblem problem = TrainingSteps.resnet(4, 3, 4, 6, 3);
        long all = SequenceEvaluator.evaluate(problem, new KeepAll().plan(problem, NONE))
                .peakBytes();
        OperatorSequence loose = new Sqrt().plan(problem, PlannerOptions.withBudget(all));
        OperatorSequence tight = new Sqrt().plan(problem, PlannerOptions.withBudget(all - 1));
        assertThat(SequenceEvaluator.evaluate(problem, loose).recomputedCost()).isZero();
        assertThat(SequenceEvaluator.evaluate(problem, tight).recomputedCost()).isPositive();
        assertThat(SequenceEvaluator.evaluate(problem, tight).peakBytes()).isLessThan(all);
    }
}
