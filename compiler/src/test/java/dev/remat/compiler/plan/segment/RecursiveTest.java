package dev.remat.compiler.plan.segment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.Chains;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.TrainingSteps;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.plan.RematProblem;
import org.junit.jupiter.api.Test;

class RecursiveTest {
    /** Halves of four: the state before p2 is kept for the halves, and a0 runs again for the inner half p1. */
    @Test
    void halvesAndHalvesAgain() {
        RematProblem chain = Chains.taped(4);
        assertThat(Chains.steps(chain, Chains.replayed(chain, 2, Recursive.schedule(4, 2))))
                .isEqualTo("p0 a0 p1 a1 p2 a2 p3 a3 b3 p2 b2 a0 p1 b1 p0 b0");
    }

    /** A chain of 2^13 takes some multiple of 13 values at some multiple of 13 forward passes, far below 2·√n = 181. */
    @Test
    void takesMemoryOfTheLogarithm() {
        RematProblem chain = TrainingSteps.chain(1 << 13, 1);
        SequenceEvaluation smallest =
                SequenceEvaluator.evaluate(chain, new Recursive().plan(chain, PlannerOptions.none()));
        assertThat(smallest.violations()).isEmpty();
        assertThat(smallest.peakBytes()).isLessThan(4 * 13);
        assertThat(smallest.recomputations()).isBetween(3 << 13, 13 << 13);
    }

    @Test
    void recomputesNothingWhereTheBudgetIsLoose() {
        RematProblem chain = Chains.equal(40);
        PlannerOptions loose = PlannerOptions.withBudget(42);
        assertThat(SequenceEvaluator.evaluate(chain, new Recursive().plan(chain, loose))
                        .recomputations())
                .isZero();
    }
}
